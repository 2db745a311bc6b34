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

/// Lets documents have the value of a label: as its text.
macro_rules! label_in_documents {
    ($name:ident) => {
        impl serde::Serialize for $name {
            fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
                serializer.serialize_str(self.as_str())
            }
        }

        impl<'de> serde::Deserialize<'de> for $name {
            fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
                let text = <std::borrow::Cow<'de, str>>::deserialize(deserializer)?;
                let value = $name::ALL.into_iter().find(|value| value.as_str() == text);
                value.ok_or_else(|| serde::de::Error::custom("the text of no value"))
            }
        }
    };
}

pub(crate) use label_in_documents;
