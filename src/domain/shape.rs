//! Declaring the resources of §2 once: the struct, how it is read tolerantly, how it is written exactly.

/// Declares an object of §2 or §4.
///
/// Each field is `name: kind Type => "wireName"`, where kind is
/// - `req`: required, not null (held as `Type`);
/// - `null`: required, may be null (held as `Option<Type>`, written as null);
/// - `opt`: may be absent, not null (held as `Option<Type>`, left out when `None`);
/// - `optnull`: may be absent or null (held as `Option<Type>`, left out when `None`).
///
/// Members that are not declared are kept in `extra` and written back after the declared ones.
#[macro_export]
macro_rules! shape {
    (
        $(#[$meta:meta])*
        pub struct $name:ident {
            $( $(#[$field_meta:meta])* $field:ident : $kind:ident $type:ty => $wire:literal ),* $(,)?
        }
    ) => {
        $(#[$meta])*
        #[derive(Debug, Clone, PartialEq, Default)]
        pub struct $name {
            $( #[doc = concat!("`", $wire, "`")] $(#[$field_meta])* pub $field: $crate::shape!(@type $kind $type), )*
            /// Members that the specification does not declare, as they came.
            pub extra: ::serde_json::Map<String, ::serde_json::Value>,
        }

        impl $name {
            /// Reads its members; what is left of them is kept as it came.
            #[must_use]
            pub fn of_members(mut members: $crate::domain::Members<'_>, reader: &mut $crate::domain::Reader) -> Self {
                $( let $field = $crate::shape!(@read $kind reader, members, $wire); )*
                Self { $( $field, )* extra: reader.undeclared(members) }
            }

            /// The declared members, in the specification's order.
            pub const FIELDS: &'static [$crate::domain::FieldShape] = &[
                $( $crate::domain::FieldShape {
                    name: $wire,
                    required: $crate::shape!(@required $kind),
                    nullable: $crate::shape!(@nullable $kind),
                    type_name: <$type as $crate::domain::FromJson>::TYPE,
                }, )*
            ];
        }

        impl $crate::domain::HasSchema for $name {
            fn schema(schemas: &mut $crate::domain::Schemas) -> ::serde_json::Value {
                schemas.named(stringify!($name), |schemas| {
                    $crate::domain::object(vec![$( (
                        $wire,
                        $crate::shape!(@required $kind),
                        $crate::shape!(@nullable $kind),
                        <$type as $crate::domain::HasSchema>::schema(schemas),
                    ), )*])
                })
            }
        }

        impl $crate::domain::FromJson for $name {
            const TYPE: &'static str = "an object";
            fn from_json(value: &::serde_json::Value, reader: &mut $crate::domain::Reader) -> Option<Self> {
                Some(Self::of_members($crate::domain::Members::of(value)?, reader))
            }
        }

        impl ::serde::Serialize for $name {
            fn serialize<S: ::serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
                use ::serde::ser::SerializeMap as _;
                let mut object = serializer.serialize_map(None)?;
                $( $crate::shape!(@write $kind object, $wire, &self.$field); )*
                for (key, value) in &self.extra {
                    object.serialize_entry(key, value)?;
                }
                object.end()
            }
        }
    };

    (@type req $type:ty) => { $type };
    (@type $kind:ident $type:ty) => { Option<$type> };
    (@required req) => { true };
    (@required null) => { true };
    (@required $kind:ident) => { false };
    (@nullable null) => { true };
    (@nullable optnull) => { true };
    (@nullable $kind:ident) => { false };
    (@read req $reader:ident, $object:ident, $wire:literal) => { $reader.required(&mut $object, $wire) };
    (@read null $reader:ident, $object:ident, $wire:literal) => { $reader.nullable(&mut $object, $wire) };
    (@read opt $reader:ident, $object:ident, $wire:literal) => { $reader.optional(&mut $object, $wire) };
    (@read optnull $reader:ident, $object:ident, $wire:literal) => { $reader.optional_nullable(&mut $object, $wire) };
    (@write req $object:ident, $wire:literal, $value:expr) => { $object.serialize_entry($wire, $value)?; };
    (@write null $object:ident, $wire:literal, $value:expr) => { $object.serialize_entry($wire, $value)?; };
    (@write $kind:ident $object:ident, $wire:literal, $value:expr) => {
        if let Some(value) = $value {
            $object.serialize_entry($wire, value)?;
        }
    };
}

/// Declares a string with a list of allowed values; another value is kept as it is and noted.
#[macro_export]
macro_rules! words {
    (
        $(#[$meta:meta])*
        pub enum $name:ident { $first:ident => $first_word:literal $(, $variant:ident => $word:literal)* $(,)? }
    ) => {
        $(#[$meta])*
        #[derive(Debug, Clone, PartialEq, Eq)]
        pub enum $name {
            #[doc = concat!("`", $first_word, "`")]
            $first,
            $( #[doc = concat!("`", $word, "`")] $variant, )*
            /// A value that the specification does not list.
            Other(String),
        }

        impl $name {
            /// Every listed value.
            pub const ALL: &'static [Self] = &[Self::$first $(, Self::$variant)*];

            /// The word on the wire.
            #[must_use]
            pub fn as_str(&self) -> &str {
                match self {
                    Self::$first => $first_word,
                    $( Self::$variant => $word, )*
                    Self::Other(word) => word,
                }
            }

            /// The listed value of this word.
            #[must_use]
            pub fn known(word: &str) -> Option<Self> {
                match word {
                    $first_word => Some(Self::$first),
                    $( $word => Some(Self::$variant), )*
                    _ => None,
                }
            }
        }

        impl Default for $name {
            fn default() -> Self {
                Self::Other(String::new())
            }
        }

        impl ::std::fmt::Display for $name {
            fn fmt(&self, f: &mut ::std::fmt::Formatter<'_>) -> ::std::fmt::Result {
                f.write_str(self.as_str())
            }
        }

        impl $crate::domain::HasSchema for $name {
            fn schema(schemas: &mut $crate::domain::Schemas) -> ::serde_json::Value {
                let words: Vec<&str> = Self::ALL.iter().map(Self::as_str).collect();
                schemas.named(stringify!($name), |_| ::serde_json::json!({ "type": "string", "enum": words }))
            }
        }

        impl $crate::domain::FromJson for $name {
            const TYPE: &'static str = concat!("one of ", $first_word $(, ", ", $word)*);
            fn from_json(value: &::serde_json::Value, reader: &mut $crate::domain::Reader) -> Option<Self> {
                let word = value.as_str()?;
                Some(Self::known(word).unwrap_or_else(|| {
                    reader.note($crate::domain::Fault::UnknownValue(word.to_owned()));
                    Self::Other(word.to_owned())
                }))
            }
        }

        impl ::serde::Serialize for $name {
            fn serialize<S: ::serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
                serializer.serialize_str(self.as_str())
            }
        }
    };
}

/// One declared member of an object: what §2 says of it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct FieldShape {
    /// Its name on the wire.
    pub name: &'static str,
    /// Whether it has to be there.
    pub required: bool,
    /// Whether it may be null.
    pub nullable: bool,
    /// Its type, as it reads in "must be …".
    pub type_name: &'static str,
}
