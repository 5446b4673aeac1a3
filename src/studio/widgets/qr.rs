//! A QR code as lines of half blocks: what a phone's camera takes over.

use qrcode::{Color, EcLevel, QrCode};

/// Modules of light around the code, as its readers want it.
const EDGE: usize = 2;

/// The code of a text, two rows a line, dark on light; nothing where the text is too long for one.
#[must_use]
pub fn qr_code(text: &str) -> Vec<String> {
    let Ok(code) = QrCode::with_error_correction_level(text, EcLevel::L) else { return Vec::new() };
    let (across, colours) = (code.width(), code.to_colors());
    let dark = |x: usize, y: usize| {
        let inside = (EDGE..across + EDGE).contains(&x) && (EDGE..across + EDGE).contains(&y);
        inside && colours.get((y - EDGE) * across + x - EDGE) == Some(&Color::Dark)
    };
    let all = across + 2 * EDGE;
    (0..all)
        .step_by(2)
        .map(|y| {
            (0..all)
                .map(|x| match (dark(x, y), dark(x, y + 1)) {
                    (true, true) => '█',
                    (true, false) => '▀',
                    (false, true) => '▄',
                    (false, false) => ' ',
                })
                .collect()
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn it_is_square_and_has_an_edge() {
        let code = qr_code("http://127.0.0.1:7227/oauth/device?user_code=ABCD-EFGH");
        let across = code[0].chars().count();
        assert!(code.len() == across.div_ceil(2) && code.iter().all(|line| line.chars().count() == across));
        assert!(code[0].trim().is_empty() && code.iter().all(|line| line.starts_with("  ") && line.ends_with("  ")));
        assert!(qr_code(&"x".repeat(5000)).is_empty());
    }
}
