//! Enums that are the values of a label.

/// Defines an enum with the text of each variant: `ALL` has every variant in this order, `as_str` is the value of the label.
macro_rules! label_values {
    (
        $(#[$attribute:meta])*
        pub enum $name:ident { $($(#[$of_variant:meta])* $variant:ident = $text:literal,)* }
    ) => {
        $(#[$attribute])*
        #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub enum $name { $($(#[$of_variant])* $variant,)* }

        impl $name {
            /// Every value, in the order of the documentation.
            pub const ALL: [Self; [$($text),*].len()] = [$(Self::$variant),*];

            pub const fn as_str(self) -> &'static str {
                match self {
                    $(Self::$variant => $text,)*
                }
            }
        }
    };
}

pub(crate) use label_values;
