//! What feeds to search engines and marketplaces refuse: F01 to F05. Their figures are third parties' and may change.

use super::look::{Look, called, of_media, of_variant, said};
use super::pictures::{is_picture, size};
use super::price::prices;
use super::rule::Rule;
use crate::domain::Num;

impl Look<'_> {
    /// F01 to F05.
    pub(super) fn feed(&mut self) {
        self.barcodes();
        let (side, most) = (self.limits.feed_side, self.limits.feed_megapixels);
        for (at, media) in self.found.product.media.iter().enumerate().filter(|(_, media)| is_picture(media)) {
            let Some((width, height)) = size(media) else {
                self.unknown(Rule::PictureForFeed);
                continue;
            };
            let told = if width < side || height < side {
                format!("under {} by {}", Num(side), Num(side))
            } else if width * height > most * 1e6 {
                format!("over {} megapixels", Num(most))
            } else {
                continue;
            };
            let sentence = format!("picture {} is {} by {} pixels: {told}", at + 1, Num(width), Num(height));
            self.tell(Rule::PictureForFeed, of_media(at, "previewWidth"), sentence);
        }
        self.lengths();
        let product = &self.found.product;
        match (product.published_at.is_some() && prices(product).next().is_some(), product.is_sold_out()) {
            (true, Some(true)) => {
                self.tell(Rule::OfferedSoldOut, "publishedAt", "it is published with a price, but sold out");
            }
            (true, None) => self.unknown(Rule::OfferedSoldOut),
            _ => {}
        }
    }

    fn barcodes(&mut self) {
        let product = &self.found.product;
        let has_brand = said(product.vendor.as_ref()).is_some();
        for (at, variant) in product.variants.iter().enumerate() {
            match said(variant.barcode.as_ref()) {
                None if has_brand => {
                    let sentence = format!("{} has a brand but no barcode", called(variant, at));
                    self.tell(Rule::GtinMissing, of_variant(at, "barcode"), sentence);
                }
                Some(barcode) if check_digit(barcode) == Some(false) => {
                    let sentence = format!("the check digit of {}'s barcode {barcode} is wrong", called(variant, at));
                    self.tell(Rule::GtinInvalid, of_variant(at, "barcode"), sentence);
                }
                _ => {}
            }
        }
    }

    fn lengths(&mut self) {
        let product = &self.found.product;
        let description = product.description.as_deref().unwrap_or_default();
        let texts = [
            ("description", description, self.limits.feed_description),
            ("title", product.title.as_str(), self.limits.title),
            ("productUrl", product.product_url.as_str(), self.limits.feed_address),
        ];
        for (field, text, most) in texts {
            let count = text.chars().count();
            if count > most {
                self.tell(Rule::TextForFeed, field, format!("its {field} has {count} characters, over {most}"));
            }
        }
    }
}

/// Whether the last digit of a GTIN of 8, 12, 13 or 14 digits is right (GS1); nothing where it is no GTIN.
fn check_digit(barcode: &str) -> Option<bool> {
    let digits: Option<Vec<u32>> = barcode.chars().map(|c| c.to_digit(10)).collect();
    let digits = digits.filter(|digits| matches!(digits.len(), 8 | 12 | 13 | 14))?;
    // From the right: the check digit counts once, the one before it three times, and so on.
    let sum: u32 = digits.iter().rev().zip([1, 3].into_iter().cycle()).map(|(digit, weight)| digit * weight).sum();
    Some(sum.is_multiple_of(10))
}

#[cfg(test)]
mod tests {
    use super::check_digit;

    #[test]
    fn check_digits_of_every_length_are_told() {
        for right in ["96385074", "036000291452", "4006381333931", "10614141543219"] {
            assert_eq!(check_digit(right), Some(true), "{right}");
            let (front, last) = right.split_at_checked(right.len() - 1).unwrap();
            let wrong = format!("{front}{}", (last.parse::<u32>().unwrap() + 1) % 10);
            assert_eq!(check_digit(&wrong), Some(false), "{wrong}");
        }
        assert_eq!((check_digit("123456789"), check_digit("A0063813339")), (None, None), "other codes");
    }
}
