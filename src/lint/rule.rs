//! The rules by their ids: what each looks for, and how bad it is.

use strum::{EnumIter, IntoEnumIterator as _};

use crate::graph;

/// How bad a problem is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Severity {
    /// May be intended.
    Note,
    /// Works, but hardly as it was intended.
    Warning,
    /// A shopper meets it, or can't meet what was made for them.
    Error,
}

impl Severity {
    /// Its word, in tables and documents.
    #[must_use]
    pub fn word(self) -> &'static str {
        match self {
            Self::Note => "note",
            Self::Warning => "warning",
            Self::Error => "error",
        }
    }
}

impl From<Severity> for graph::Severity {
    /// How bad it is as the check of steps says it.
    fn from(severity: Severity) -> Self {
        match severity {
            Severity::Note => Self::Note,
            Severity::Warning => Self::Warning,
            Severity::Error => Self::Fault,
        }
    }
}

/// Rules that are switched on and off together.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, EnumIter)]
pub enum Set {
    /// What shoppers of the store meet. On unless said otherwise.
    Shop,
    /// Videos of the library and of steps. On unless said otherwise.
    Video,
    /// What projects offer: products on steps, and what texts promise of them. On unless said otherwise.
    Wiring,
    /// What feeds to search engines and marketplaces refuse. Off unless asked for.
    Feed,
    /// What takes a request an address. Off unless asked for.
    Deep,
}

impl Set {
    /// Its word on the command line.
    #[must_use]
    pub fn word(self) -> &'static str {
        match self {
            Self::Shop => "shop",
            Self::Video => "video",
            Self::Wiring => "wiring",
            Self::Feed => "feed",
            Self::Deep => "deep",
        }
    }

    /// The set of this word.
    #[must_use]
    pub fn by_word(word: &str) -> Option<Self> {
        Self::iter().find(|set| set.word() == word)
    }

    /// Every set.
    pub fn all() -> impl Iterator<Item = Self> {
        Self::iter()
    }
}

/// Declares the rules: name, id, short name, severity, the field it reads, what it finds.
macro_rules! rules {
    ($( $rule:ident $id:literal $name:literal $severity:ident $field:literal $what:literal; )*) => {
        /// One rule of the lint.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, EnumIter)]
        pub enum Rule {
            $( #[doc = $what] $rule, )*
        }

        impl Rule {
            /// Its id, which stays: `S01`.
            #[must_use]
            pub fn id(self) -> &'static str {
                match self { $( Self::$rule => $id, )* }
            }

            /// Its short name, which stays too: `sold-out`.
            #[must_use]
            pub fn name(self) -> &'static str {
                match self { $( Self::$rule => $name, )* }
            }

            /// How bad what it finds is.
            #[must_use]
            pub fn severity(self) -> Severity {
                match self { $( Self::$rule => Severity::$severity, )* }
            }

            /// The field of §2 that it is about first.
            #[must_use]
            pub fn field(self) -> &'static str {
                match self { $( Self::$rule => $field, )* }
            }

            /// What it finds, as a sentence without its full stop.
            #[must_use]
            pub fn what(self) -> &'static str {
                match self { $( Self::$rule => $what, )* }
            }
        }
    };
}

rules! {
    SoldOut "S01" "sold-out" Warning "variants[].inventoryQuantity" "No variant can be bought: all are tracked, have nothing left, and may not be oversold";
    NearlyOut "S02" "nearly-out" Note "variants[].inventoryQuantity" "What can still be bought is less than the limit";
    Oversold "S03" "oversold" Warning "variants[].inventoryQuantity" "A variant's stock is below zero";
    Unpublished "S04" "unpublished" Note "publishedAt" "The product is not published";
    PublishedNotActive "S05" "published-not-active" Warning "status" "The product is published, but a draft or archived";
    NoVariants "S06" "no-variants" Error "variants" "The product has no variants, so nothing can be bought";
    PriceMissing "S07" "price-missing" Error "variants[].price" "A variant's price is missing or no number";
    PriceZero "S08" "price-zero" Warning "variants[].price" "A variant costs nothing, or less";
    CompareAtWrong "S09" "compare-at-wrong" Warning "variants[].compareAtPrice" "The price before a discount is not above the price";
    PriceOutlier "S10" "price-outlier" Note "variants[].price" "A price is at least ten times what its kind costs";
    Currency "S11" "currency" Error "currencyCode" "The currency is missing, is not the one that the store's other products have, or has the symbol of another one";
    PriceDisagrees "S12" "price-disagrees" Warning "price" "The price in searches is no variant's price";
    SkuMissing "S13" "sku-missing" Warning "variants[].sku" "A variant has no SKU";
    SkuTwice "S14" "sku-twice" Error "variants[].sku" "Two variants have the same SKU";
    SkuOdd "S15" "sku-odd" Warning "variants[].sku" "A SKU has blanks at an end, invisible characters, or letters that only look like others";
    BarcodeTwice "S16" "barcode-twice" Warning "variants[].barcode" "Two products have the same barcode";
    VariantsAlike "S17" "variants-alike" Error "variants[].selectedOptions" "Two variants have the same options, so one of them can't be chosen";
    OptionAlien "S18" "option-alien" Warning "variants[].selectedOptions" "Variants and options don't fit: a value that the option doesn't list, an option that a variant lacks, or a value that no variant has";
    VariantMediaLost "S19" "variant-media-lost" Warning "variants[].externalMediaId" "A variant's picture is not among the product's";
    NoMedia "S20" "no-media" Error "media" "The product has no pictures";
    FeaturedLost "S21" "featured-lost" Warning "featuredMediaId" "No picture is the product's first one, or it is not among its pictures";
    MediaNotReady "S22" "media-not-ready" Warning "media[].status" "A picture or video failed, or has been in progress for over an hour";
    Alt "S23" "alt" Warning "media[].alt" "A description of a picture is missing, is a file name, or is the same for all";
    PictureSmall "S24" "picture-small" Warning "media[].previewWidth" "A picture's shorter side is under 300 pixels";
    Aspect "S25" "aspect" Note "media[].previewWidth" "The product's pictures have different shapes, or one is very narrow";
    ProductVideoHeavy "S26" "product-video-heavy" Warning "media[].videoSize" "A video is over 50 MB, or has no address";
    TextEmpty "S27" "text-empty" Warning "description" "The description is empty, was lost on the way from HTML, or has scripts in its HTML";
    Title "S28" "title" Note "title" "The title is very long, in capitals, or another product's too";
    HandleDiffers "S29" "handle-differs" Warning "productUrl" "The product's address is not on the web, not on the store's host, or doesn't end in the handle";
    Uncategorized "S30" "uncategorized" Note "category" "Category, product type, vendor or tags are missing";
    TagNear "S31" "tag-near" Warning "tags" "A tag is spelled almost like a more common one";
    KindNear "S32" "type-near" Warning "productType" "A product type or vendor is spelled almost like a more common one";
    AnalysisDisagrees "S33" "analysis-disagrees" Note "analysis.data.productType" "The analysis is of another kind of product, unsure, outdated or long overdue";
    RecordOld "S34" "record-old" Warning "providerUpdatedAt" "The record is from the future, or is more than a day behind its source";
    HostileText "S35" "hostile-text" Warning "title" "A name has invisible characters, characters that turn text around, or letters of two scripts in one word";
    SpecBreach "S36" "spec-breach" Note "" "The service's response doesn't match the API specification";
    GtinInvalid "F01" "gtin-invalid" Warning "variants[].barcode" "A barcode's check digit is wrong";
    GtinMissing "F02" "gtin-missing" Warning "variants[].barcode" "The product has a brand, but a variant has no barcode";
    PictureForFeed "F03" "picture-for-feed" Warning "media[].previewWidth" "A picture is under 500 by 500 pixels or over 64 megapixels";
    TextForFeed "F04" "text-for-feed" Warning "description" "A text is longer than feeds take";
    OfferedSoldOut "F05" "offered-sold-out" Warning "publishedAt" "The product is offered at a price, but sold out";
    CodecNotWeb "V01" "codec-not-web" Error "file" "The video is no H.264, VP9 or AV1 in MP4 or WebM, so not every browser plays it; HEVC is a warning";
    NoAudio "V02" "no-audio" Note "file" "The video has no sound track, or a silent one";
    SlowStart "V03" "slow-start" Warning "file" "The video's index is behind its pictures, so it starts late";
    TooHeavy "V04" "too-heavy" Warning "file" "The video needs over 4 Mbit/s at 1080p or less, or over 2 MB for its first 3 seconds";
    TooLong "V05" "too-long" Note "videoId" "A step's video runs over 60 seconds, or the shortest path to an end over 3 minutes";
    VideoAspect "V06" "video-aspect" Warning "file" "The video is not 9:16, 1:1 or 16:9, or has another shape than most of its project's";
    NoCaptions "V07" "no-captions" Warning "captions" "The video has no text track and no captions";
    SameVideo "V08" "same-video" Note "file" "Another video of the library is the same file";
    StepSellsSoldOut "W01" "step-sells-sold-out" Error "products" "A step shows a product that is sold out";
    StepSellsHidden "W02" "step-sells-hidden" Error "products" "A step shows a product that is not published, gone, or of another store";
    StepSellsWithout "W03" "step-sells-without" Error "products" "A step shows a product without a price, a picture or an address";
    AnswerNamesPrice "W04" "answer-names-a-price" Warning "answers[].text" "An answer promises a price, and leads to a product that costs more";
    TextNamesGone "W05" "text-names-gone-product" Note "overlayText" "A text names a product that is sold out or not published";
    EndWithoutOffer "W06" "end-without-offer" Note "products" "An ending that many come to has no product and no address";
    BestSellerNowhere "W07" "best-seller-nowhere" Note "products" "A product with the most in stock, or the most revenue, is in no step";
    LinkDead "L01" "link-dead" Warning "productUrl" "An address answers with an error, with something else, or with the home page";
}

impl Rule {
    /// The set it belongs to.
    #[must_use]
    pub fn set(self) -> Set {
        match self.id().as_bytes().first() {
            Some(b'F') => Set::Feed,
            Some(b'V') => Set::Video,
            Some(b'W') => Set::Wiring,
            Some(b'L') => Set::Deep,
            _ => Set::Shop,
        }
    }

    /// Whether it is about products, one by one.
    #[must_use]
    pub fn is_of_products(self) -> bool {
        matches!(self.set(), Set::Shop | Set::Feed)
    }

    /// Every rule, in the order of the ids.
    pub fn all() -> impl Iterator<Item = Self> {
        Self::iter()
    }

    /// The rule of an id or a short name, capitals or not.
    #[must_use]
    pub fn by_word(word: &str) -> Option<Self> {
        Self::iter().find(|rule| rule.id().eq_ignore_ascii_case(word) || rule.name().eq_ignore_ascii_case(word))
    }

    /// How many there are.
    pub(super) fn count() -> usize {
        Self::iter().len()
    }
}
