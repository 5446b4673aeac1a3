"""Products that are hard on a program: other scripts, odd texts, odd states.

Each is a kind and what differs from an ordinary product of that kind; `note` names the case
and is not written to the store.
"""

LONG = ("Expedition tunnel tent for four seasons, three persons and two very wet dogs, with extended porch, snow flaps, "
        "storm guys in reflective cord, spare pole section, repair kit, footprint, drying line, lantern hook and a printed "
        "book of one hundred knots, as used on the long crossing of the plateau in the winter of the great snow")

SPECIAL = [
    # Other scripts
    dict(kind="sock", note="non-Latin", title="メリノウールの靴下・厚手", handle="メリノ-靴下",
         html="<p>北の冬のための<strong>厚手の靴下</strong>。</p><ul><li>メリノウール 70%</li><li>つま先とかかとを補強</li></ul>"),
    dict(kind="beanie", note="non-Latin", title="Μάλλινο σκουφάκι «Βόρειο Σέλας»", handle="malino-skoufaki",
         html="<p>Ζεστό σκουφάκι από <em>αγνό μαλλί</em> για τις μέρες του χειμώνα.</p>"),
    dict(kind="puffer", note="non-Latin", title="Пуховая куртка «Северное сияние»", handle="puhovaya-kurtka",
         html="<p>Лёгкая и тёплая куртка для зимних походов.</p><p>Пух: 750 fill&nbsp;power.</p>"),
    dict(kind="tent", note="non-Latin", title="เต็นท์กันน้ำสำหรับสองคน", handle="tent-song-khon",
         html="<p>เต็นท์น้ำหนักเบา กางง่ายภายในสี่นาที</p>"),
    dict(kind="mitten", note="non-Latin", title="ऊनी दस्ताने – सर्दियों के लिए", handle="uni-dastane",
         html="<p>ठंडी हवा में भी हाथ गर्म रहते हैं।</p>"),
    dict(kind="mug", note="non-Latin", title="搪瓷杯「峡湾」 350毫升", handle="fjord-enamel-cup", html="<p>双层搪瓷，适合篝火。</p>"),
    dict(kind="backpack", note="non-Latin", title="북유럽 등산 배낭 45리터", handle="north-pack-45", html="<p>가볍고 튼튼한 배낭입니다.</p>"),
    dict(kind="book", note="non-Latin", title="Հյուսիսի լեռները — ալբոմ", handle="mountains-of-the-north", html="<p>Լեռների մասին գիրք։</p>"),
    dict(kind="candle", note="non-Latin", title="სანთელი „ტყის სუნი“", handle="forest-smell-candle", html=None),
    # Right to left
    dict(kind="tent", note="right-to-left", title="خيمة شتوية لشخصين", handle="khayma-shatawiya",
         html="<p dir=\"rtl\">خيمة <strong>قوية</strong> ضد الريح والثلج.</p><ul><li>مقاومة للماء</li><li>خفيفة الوزن</li></ul>"),
    dict(kind="mitten", note="right-to-left", title="כפפות צמר חמות", handle="kfafot-tzemer",
         html="<p dir=\"rtl\">כפפות סרוגות מצמר <em>טהור</em>.</p>"),
    dict(kind="jacket", note="right-to-left", title="جاكيت Nordlys المقاوم للمطر (2026)", handle="jacket-nordlys-rtl",
         html="<p dir=\"rtl\">ثلاث طبقات، 20&nbsp;000 مم.</p>"),
    dict(kind="blanket", note="right-to-left", title="שמיכה Røros 130×200 ס״מ", handle="smicha-roros", html="<p dir=\"rtl\">אריגה נורווגית.</p>"),
    # Emoji and combining marks
    dict(kind="blanket", note="emoji", title="Picnic blanket for the whole family 👨‍👩‍👧‍👦", handle="picnic-blanket-family"),
    dict(kind="backpack", note="emoji", title="Climber’s day pack 🧗🏽‍♀️ chalk edition", handle="climbers-day-pack"),
    dict(kind="beanie", note="emoji", title="🇳🇴 Flag-day hat 🇸🇪 with two sides", handle="flag-day-hat", colours=["blue", "red"]),
    dict(kind="toybear", note="emoji", title="Polar friend 🐻‍❄️", handle="polar-friend", options=0),
    dict(kind="candle", note="emoji", title="Heart of the hut ❤️‍🔥 candle", handle="heart-of-the-hut"),
    dict(kind="mug", note="combining", title="Cafe\u0301-mugg i emalj, A\u030angermanland", handle="cafe-mugg"),
    dict(kind="pendant", note="combining", title="N\u0303a\u0308kki n\u0302ecklace o\u0328\u0302", handle="nakki-necklace"),
    # Awkward texts
    dict(kind="tent", note="long title", title=LONG, handle="expedition-tunnel-tent-with-everything"),
    dict(kind="book", note="one-letter title", title="Å", handle="a", html="<p>A photo book of the village at the end of the road.</p>"),
    dict(kind="sock", note="markup in the title", title="Patch set <b>bold</b> &amp; \"loud\" <script>alert('sock')</script>", handle="patch-set-bold"),
    dict(kind="mug", note="formula title", title="=1+1 mug (@work, +coffee, -sleep)", handle="formula-mug"),
    dict(kind="headlamp", note="format title", title="Trail light %s %n {0} {{title}} ${HOME} \\x1b[31m", handle="format-light"),
    dict(kind="axe", note="path title", title="../../etc/axe | rm -rf ~/splinters; --", handle="path-axe"),
    dict(kind="jacket", note="broken HTML", title="Storm parka, draft text", handle="storm-parka-draft-text",
         html="<p>Warm, <b>windproof<p>and <i>long in the back<ul><li>Two-way zip<li>Hood &amp collar<li>Pockets &lt;3<table><tr><td>Weight<td>890 g</div></p><a href=\"https://nordlys-outdoor.example/care\">Care <"),
    dict(kind="boot", note="broken HTML", title="Winter boot, pasted text", handle="winter-boot-pasted-text",
         html="<div class=\"x\"><span style=\"color:#333\">Felt inside, rubber outside.</span><br><br/><strong>Sizes run small<br>Take one up</div></span>&unknown; &#8212; &#x2744;"),
    dict(kind="balm", note="active markup in HTML", title="Frost balm, imported", handle="frost-balm-imported",
         html="<style>p{color:red}</style><script>document.title='x'</script><!-- note to self: shorten --><p onclick=\"void 0\">For noses.</p><img src=\"https://nordlys-outdoor.example/none.jpg\" alt=\"tin\"><iframe src=\"https://nordlys-outdoor.example/none\"></iframe>"),
    dict(kind="lantern", note="empty description", title="Porch lantern, no words yet", handle="porch-lantern-no-words", html=""),
    dict(kind="skis", note="trailing spaces", title="  Back-country ski   with  spaces ", handle="back-country-ski-with-spaces"),
    # Odd states
    dict(kind="skis", note="no variants", title="Race ski, announced for spring", handle="race-ski-announced", variants=0, status="draft", published=False),
    dict(kind="roofbox", note="null prices", title="Roof box, price on request", handle="roof-box-price-on-request", price=None, options=0),
    dict(kind="gps", note="null nearly everywhere", title="Satellite messenger, bare record", handle="satellite-messenger-bare", bare=True, options=0),
    dict(kind="baselayer", note="24 variants", title="Merino base layer, every size", handle="merino-base-layer-every-size", variants=24, options=2),
    dict(kind="boot", note="24 variants, 3 options", title="Leather mountain boot, three lasts", handle="leather-mountain-boot-three-lasts", variants=24, options=3),
    dict(kind="trousers", note="3 options", title="Trekking trousers, any leg", handle="trekking-trousers-any-leg", variants=12, options=3),
    dict(kind="jacket", note="many media", title="3-layer shell, seen from all sides", handle="shell-from-all-sides", media=14),
    dict(kind="tent", note="many media", title="Family tent with a long tour of pictures", handle="family-tent-long-tour", media=12),
    dict(kind="backpack", note="many media", title="Expedition pack, unpacked", handle="expedition-pack-unpacked", media=11),
    dict(kind="stove", note="huge and tiny numbers", title="Storm kitchen for the warehouse", handle="storm-kitchen-warehouse", quantity=1_250_000, options=0),
    dict(kind="compass", note="oversold", title="Pocket compass, oversold", handle="pocket-compass-oversold", quantity=-7, options=0, policy="continue"),
]
