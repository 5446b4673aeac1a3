//! Colors as style sheets write them, and how well they are told apart (WCAG 2.2).

/// The least contrast of text with what is behind it (WCAG 2.2, 1.4.3).
pub const READABLE: f64 = 4.5;

/// A color of the sRGB space.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Color {
    /// Red, green and blue.
    pub channels: [u8; 3],
}

impl Color {
    /// White.
    pub const WHITE: Self = Self { channels: [255; 3] };
    /// Black.
    pub const BLACK: Self = Self { channels: [0; 3] };

    /// The color of a text such as `#ff6600`; none where it is another text.
    #[must_use]
    pub fn parse(text: &str) -> Option<Self> {
        let digits = text.strip_prefix('#').filter(|digits| digits.len() == 6)?;
        if !digits.bytes().all(|digit| digit.is_ascii_hexdigit()) {
            return None;
        }
        let channel = |at: usize| u8::from_str_radix(digits.get(at..at + 2)?, 16).ok();
        Some(Self { channels: [channel(0)?, channel(2)?, channel(4)?] })
    }

    /// The relative luminance, from 0 for black to 1 for white.
    #[must_use]
    pub fn luminance(self) -> f64 {
        let linear = |channel: u8| {
            let share = f64::from(channel) / 255.0;
            if share <= 0.04045 { share / 12.92 } else { ((share + 0.055) / 1.055).powf(2.4) }
        };
        let [red, green, blue] = self.channels.map(linear);
        0.2126 * red + 0.7152 * green + 0.0722 * blue
    }

    /// The contrast of two colors, from 1 to 21.
    #[must_use]
    pub fn contrast(self, other: Self) -> f64 {
        let (one, two) = (self.luminance(), other.luminance());
        (one.max(two) + 0.05) / (one.min(two) + 0.05)
    }

    /// Black or white: the one that can be read better on this color. One of the two always has [`READABLE`] contrast.
    #[must_use]
    pub fn text_on(self) -> Self {
        if self.contrast(Self::WHITE) >= self.contrast(Self::BLACK) { Self::WHITE } else { Self::BLACK }
    }
}

impl std::fmt::Display for Color {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let [red, green, blue] = self.channels;
        write!(f, "#{red:02x}{green:02x}{blue:02x}")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_on_any_color_can_be_read() {
        for red in (0..=255).step_by(15) {
            for green in (0..=255).step_by(15) {
                for blue in (0..=255).step_by(15) {
                    let color = Color { channels: [red, green, blue] };
                    assert!(color.contrast(color.text_on()) >= READABLE, "{color}");
                }
            }
        }
        assert!((Color::WHITE.contrast(Color::BLACK) - 21.0).abs() < 1e-9);
    }

    #[test]
    fn colors_are_six_digits() {
        assert_eq!(Color::parse("#FF6600").unwrap().to_string(), "#ff6600");
        for wrong in ["", "ff6600", "#f60", "#ff66001", "#ggg000", "red", "#ff660é"] {
            assert_eq!(Color::parse(wrong), None, "{wrong}");
        }
    }
}
