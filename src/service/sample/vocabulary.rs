//! Words that made-up products are made of.

pub(super) const ADJECTIVES: [&str; 40] = [
    "Nordic", "Classic", "Slim", "Relaxed", "Heavy", "Light", "Vintage", "Modern", "Everyday", "Alpine", "Coastal",
    "Urban", "Rugged", "Soft", "Warm", "Breathable", "Recycled", "Organic", "Handmade", "Essential", "Premium",
    "Compact", "Foldable", "Quilted", "Striped", "Checked", "Printed", "Seamless", "Brushed", "Washed", "Cropped",
    "Oversized", "Tapered", "Reversible", "Waterproof", "Fjäll", "Éclair", "Señorita", "Straße", "Smørbrød",
];

pub(super) const MATERIALS: [&str; 30] = [
    "Wool", "Cotton", "Linen", "Leather", "Denim", "Canvas", "Silk", "Cashmere", "Fleece", "Down", "Nylon", "Bamboo",
    "Hemp", "Corduroy", "Velvet", "Steel", "Oak", "Walnut", "Ceramic", "Glass", "Brass", "Cork", "Rubber", "Mesh",
    "Jersey", "Flannel", "Suede", "Merino", "Alpaca", "Tencel",
];

pub(super) const COLOURS: [&str; 16] = [
    "Black", "White", "Navy", "Olive", "Rust", "Sand", "Charcoal", "Forest", "Burgundy", "Mustard", "Teal", "Lilac",
    "Cream", "Slate", "Coral", "Indigo",
];

/// A product type with the noun of its titles.
pub(super) const KINDS: [(&str, &str); 40] = [
    ("Socks", "Sock"), ("Jackets", "Jacket"), ("Trousers", "Trousers"), ("Shirts", "Shirt"), ("T-Shirts", "Tee"),
    ("Sweaters", "Sweater"), ("Dresses", "Dress"), ("Skirts", "Skirt"), ("Coats", "Coat"), ("Boots", "Boot"),
    ("Sneakers", "Sneaker"), ("Sandals", "Sandal"), ("Hats", "Beanie"), ("Scarves", "Scarf"), ("Gloves", "Glove"),
    ("Belts", "Belt"), ("Bags", "Tote"), ("Backpacks", "Backpack"), ("Wallets", "Wallet"), ("Watches", "Watch"),
    ("Rings", "Ring"), ("Necklaces", "Necklace"), ("Earrings", "Earring"), ("Sunglasses", "Sunglasses"),
    ("Mugs", "Mug"), ("Plates", "Plate"), ("Knives", "Knife"), ("Lamps", "Lamp"), ("Chairs", "Chair"),
    ("Tables", "Table"), ("Rugs", "Rug"), ("Blankets", "Blanket"), ("Pillows", "Pillow"), ("Candles", "Candle"),
    ("Soaps", "Soap"), ("Creams", "Cream"), ("Toys", "Bear"), ("Books", "Notebook"), ("Tents", "Tent"),
    ("Bottles", "Bottle"),
];

pub(super) const VENDORS: [&str; 24] = [
    "Aurland", "Brenner & Co", "Casa Lume", "Dovetail", "Eastward", "Fern & Field", "Gullfoss", "Halden Works",
    "Ilmarinen", "Juniper Row", "Kestrel", "Lumière", "Morrow", "Northbound", "Ombra", "Pfad", "Quarry Lane", "Ridgeback",
    "Saltwater", "Tessera", "Umber", "Vesper", "Windrose", "Zephyr",
];

pub(super) const TAGS: [&str; 30] = [
    "sale", "new", "winter", "summer", "gift", "bestseller", "outdoor", "office", "travel", "kids", "vegan", "limited",
    "wool", "rainy day", "last chance", "made in europe", "unisex", "plus size", "bundle", "clearance", "festival",
    "running", "yoga", "hiking", "home", "kitchen", "wedding", "school", "party", "café",
];

pub(super) const SIZES: [&str; 4] = ["S", "M", "L", "XL"];
