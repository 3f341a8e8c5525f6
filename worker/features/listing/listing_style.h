// The style of the HTML listing and its hash for the Content-Security-Policy (CSP 3, 2.3.1). A test
// compares the two. Constants.
#pragma once

#include <string_view>

namespace servery::listing {

inline constexpr std::string_view kStyle =
    R"css(:root{color-scheme:light dark;--bg:#fff;--fg:#1c2128;--dim:#5b6570;--line:#dfe3e8;--soft:#f4f6f8;--link:#0757b8;--dir:#b7791f;--fill:#f6d998}
@media(prefers-color-scheme:dark){:root{--bg:#14181d;--fg:#e4e8ec;--dim:#9aa5b1;--line:#2c333b;--soft:#1d2329;--link:#82b7ff;--dir:#e0b35c;--fill:#4a3b1d}}
*{box-sizing:border-box}
body{margin:0 auto;max-width:64rem;padding:1.5rem 1.25rem 3rem;background:var(--bg);color:var(--fg);font:1rem/1.5 system-ui,sans-serif}
a{color:var(--link);text-decoration:none}
a:hover{text-decoration:underline}
:focus-visible{outline:2px solid var(--link);outline-offset:2px;border-radius:3px}
svg{width:1.125rem;height:1.125rem;flex:none;fill:none;stroke:currentColor;stroke-width:1.25;stroke-linejoin:round;stroke-linecap:round}
.k{position:absolute;width:0;height:0}
.w{fill:var(--fill);stroke:var(--dir)}
nav ol{display:flex;flex-wrap:wrap;align-items:center;margin:0;padding:0;list-style:none}
nav li{display:flex;align-items:center;min-width:0}
nav li+li::before{content:"/";color:var(--dim);margin:0 .45rem}
nav li a{display:flex;padding:.25rem 0;overflow-wrap:anywhere}
h1{margin:.25rem 0 0;font-size:1.5rem;line-height:1.3;overflow-wrap:anywhere}
.b{display:flex;flex-wrap:wrap;align-items:center;justify-content:space-between;gap:.5rem 1.5rem;margin:.25rem 0 1rem}
.b p{margin:0;color:var(--dim)}
.q{display:flex;gap:.5rem;flex:0 1 22rem}
input[type=search]{flex:1;min-width:0}
input[type=search],button,.p a{font:inherit;padding:.375rem .75rem;border:1px solid var(--line);border-radius:6px;background:var(--bg);color:inherit}
button,.p a{background:var(--soft);cursor:pointer}
button:hover,.p a:hover{border-color:var(--dim);text-decoration:none}
table{width:100%;border-collapse:collapse}
caption,.o{position:absolute;width:1px;height:1px;overflow:hidden;clip-path:inset(50%);white-space:nowrap}
th{text-align:left;font-weight:600;font-size:.875rem;border-bottom:1px solid var(--line)}
th a{display:inline-block;padding:.5rem 0;color:var(--dim)}
th[aria-sort] a{color:var(--fg)}
td{border-bottom:1px solid var(--line)}
tbody tr:hover{background:var(--soft)}
.c{width:2rem;padding-left:.375rem}
.c input{display:block;width:1.125rem;height:1.125rem;margin:0}
.n a,.n>span{display:flex;align-items:center;gap:.625rem;padding:.4375rem .375rem;overflow-wrap:anywhere;min-width:0}
th.n a{display:inline-block}
.n a svg{color:var(--dim)}
.n>span,.n em{color:var(--dim)}
td.n{overflow:clip;overflow-clip-margin:3px}
.n em{font-size:.8125rem;line-height:1.5rem;white-space:nowrap}
.s,.t{white-space:nowrap;color:var(--dim);font-variant-numeric:tabular-nums;padding-left:1.25rem}
.s{text-align:right}
.t{padding-right:.375rem;width:1%}
.e{padding:2.5rem 0;text-align:center;color:var(--dim);margin:0}
.p,.g{display:flex;flex-wrap:wrap;align-items:center;gap:.5rem;margin-top:1.25rem}
.p span{color:var(--dim);margin:0 .5rem}
.g span{color:var(--dim);margin-right:.25rem}
@media(max-width:40rem){body{padding:1rem .875rem 2rem}.q{flex:1 1 100%;min-width:0}
thead tr{display:flex;gap:1.25rem;border-bottom:1px solid var(--line)}th{border:0}thead .c{display:none}.s,.t{padding-left:0}
tbody tr{display:grid;grid-template-columns:0 auto 1fr;border-bottom:1px solid var(--line)}.m tbody tr{grid-template-columns:2rem auto 1fr}td{border:0}
.c{grid-row:1/3;padding:.6875rem 0 0;width:auto}td.n{grid-column:2/4}td.n a,td.n>span{align-items:start;padding:.4375rem 0 0}td.n svg{margin-top:.1875rem}th.n a{padding-left:0}
td.s,td.t{font-size:.875rem;padding:0 0 .5rem;text-align:left;width:auto}td.s{grid-column:2;padding-left:1.75rem;padding-right:.75rem}td.s:empty{padding-right:0}}
.r{margin-top:2rem;border:1px solid var(--line);border-radius:6px;overflow-wrap:anywhere}
.r>h2{margin:0;padding:.5rem 1rem;border-bottom:1px solid var(--line);border-radius:6px 6px 0 0;background:var(--soft);font-size:.875rem}
.r>div{padding:.25rem 1.25rem;overflow:hidden}
.r :is(h3,h4,h5,h6){margin:1.5rem 0 .75rem;font-size:1rem;line-height:1.3}.r h3{font-size:1.5rem}.r h4{font-size:1.25rem}.r h5{font-size:1.125rem}
.r a{text-decoration:underline}
.r code{font:.875em/1.5 ui-monospace,monospace;padding:.125rem .25rem;border-radius:4px;background:var(--soft)}
.r pre{font:.875rem/1.5 ui-monospace,monospace;padding:.75rem 1rem;border-radius:6px;background:var(--soft);overflow-wrap:normal;overflow:auto}.r pre code{font:inherit;padding:0}
.r .y{padding:0;background:none;white-space:pre-wrap;overflow-wrap:anywhere}
.r blockquote{margin:1rem 0;padding-left:1rem;border-left:3px solid var(--line);color:var(--dim)}
.r :is(ul,ol){padding-left:1.75rem}.r .x{list-style:none}.x>input{margin:0 .25rem 0 -1.375rem}
.r hr{border:0;border-top:1px solid var(--line)}
.r table{display:block;width:max-content;max-width:100%;overflow:auto;overflow-wrap:normal}
.r :is(thead,tbody) tr{display:table-row;border:0}.r :is(th,td){padding:.25rem .75rem;border:1px solid var(--line);font-size:1rem}
.r [align=center]{text-align:center}.r [align=right]{text-align:right}
@media print{.q,.p,.g,.c{display:none}}
)css";

inline constexpr std::string_view kStyleHash =
    "sha256-AslGZyrFAs+9lCx0iC18WhY8UOJYdl8UrwxHCQ+soKg=";

}  // namespace servery::listing
