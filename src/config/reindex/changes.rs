//! Rules, and changes to them by an override: both have the same keys, which are declared once.

use std::num::NonZeroU32;
use std::path::PathBuf;
use std::time::Duration;

use super::Mode;
use crate::config::schedule::Window;

/// A part of the rules that an override can change.
pub(super) trait Changeable {
    /// The keys that are written; the others change nothing.
    type Keys: Default;

    fn changed(&self, keys: Self::Keys) -> Self;
}

macro_rules! changeable_values {
    ($($value:ty),*) => {$(
        impl Changeable for $value {
            type Keys = Option<Self>;

            fn changed(&self, written: Option<Self>) -> Self {
                written.unwrap_or_else(|| self.clone())
            }
        }
    )*};
}

changeable_values!(Mode, NonZeroU32, u64, Duration, Vec<String>, Vec<Window>);

impl Changeable for Option<PathBuf> {
    type Keys = Self;

    fn changed(&self, written: Self) -> Self {
        written.or_else(|| self.clone())
    }
}

/// Declares rules with their defaults, and the keys of the same names that change them. The first block has the keys that are no
/// rules.
macro_rules! changeable {
    (
        $(#[$rules_attribute:meta])*
        pub struct $rules:ident, changed by $keys:ident {
            $($(#[$other_attribute:meta])* $other:ident: $other_type:ty,)*
        } {
            $($(#[$attribute:meta])* pub $key:ident: $type:ty = $default:expr,)*
        }
    ) => {
        $(#[$rules_attribute])*
        #[derive(JsonSchema)]
        #[serde(default, deny_unknown_fields)]
        pub struct $rules {
            $($(#[$attribute])* pub $key: $type,)*
        }

        impl Default for $rules {
            fn default() -> Self {
                Self { $($key: $default,)* }
            }
        }

        #[derive(Default, Deserialize, JsonSchema)]
        #[serde(default, deny_unknown_fields)]
        pub(super) struct $keys {
            $($(#[$other_attribute])* $other: $other_type,)*
            $($(#[$attribute])* $key: <$type as Changeable>::Keys,)*
        }

        impl Changeable for $rules {
            type Keys = $keys;

            fn changed(&self, keys: $keys) -> Self {
                Self { $($key: self.$key.changed(keys.$key),)* }
            }
        }
    };
}
pub(super) use changeable;
