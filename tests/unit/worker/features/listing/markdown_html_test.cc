#include "worker/features/listing/markdown_html.h"

#include <gtest/gtest.h>

namespace servery::listing {
namespace {

std::string html(std::string_view text) {
  std::string out;
  EXPECT_TRUE(append_markdown(out, text)) << text;
  return out;
}

std::string times(std::string_view text, std::size_t count) {
  std::string all;
  for (std::size_t i = 0; i < count; ++i) all += text;
  return all;
}

TEST(MarkdownHtml, WhatAReadmeIsMadeOf) {
  EXPECT_EQ(html("a *b* **c** `d<` ~~e~~\nf  \ng"),
            "<p>a <em>b</em> <strong>c</strong> <code>d&lt;</code> <del>e</del>\nf<br>\ng</p>\n");
  EXPECT_EQ(html("> q\n\n---"), "<blockquote>\n<p>q</p>\n</blockquote>\n<hr>\n");
  EXPECT_EQ(html("```c\nif (a<b) x;\n```"), "<pre><code>if (a&lt;b) x;\n</code></pre>\n");
  EXPECT_EQ(html("3. c\n- [x] d\n- [ ] e"),
            "<ol start=3>\n<li>c</li>\n</ol>\n<ul>\n<li class=x><input type=checkbox disabled "
            "checked> d</li>\n<li class=x><input type=checkbox disabled> e</li>\n</ul>\n");
  EXPECT_EQ(html("|a|b|\n|---|--:|\n|1|2|"),
            "<table><thead><tr><th>a</th><th align=right>b</th></tr>\n</thead><tbody><tr><td>1</td>"
            "<td align=right>2</td></tr>\n</tbody></table>\n");
  EXPECT_EQ(html("&copy; &#60;"), "<p>&copy; &#60;</p>\n");
}

TEST(MarkdownHtml, HeadingsStandBelowThoseOfThePage) {
  EXPECT_EQ(html("# a\n## b\n##### c\n###### d"), "<h3>a</h3><h4>b</h4><h6>c</h6><h6>d</h6>");
}

TEST(MarkdownHtml, LinksLeadToPlacesOnly) {
  EXPECT_EQ(html("[a](b/c.md?x=1&y#z)"),
            "<p><a rel=nofollow href=\"b/c.md?x=1&amp;y#z\">a</a></p>\n");
  EXPECT_EQ(html("www.a.example b@c.example"),
            "<p><a rel=nofollow href=\"http://www.a.example\">www.a.example</a> "
            "<a rel=nofollow href=\"mailto:b@c.example\">b@c.example</a></p>\n");
  EXPECT_EQ(html("[a](<b \" ' < >)"), "<p>[a](&lt;b &quot; &#39; &lt; &gt;)</p>\n");
  EXPECT_EQ(html("[a](<b \" ' é>)"),
            "<p><a rel=nofollow href=\"b%20%22%20%27%20%C3%A9\">a</a></p>\n");
  EXPECT_EQ(html("[a](/b&quot;c)"), "<p><a rel=nofollow href=\"/b&quot;c\">a</a></p>\n");
  for (const std::string bad :
       {"javascript:alert(1)", "JaVaScRiPt:alert(1)", "java&#115;cript:alert(1)",
        "java&Tab;script:alert(1)", "&#x6A;avascript:alert(1)", "javascript&colon;alert(1)",
        "data:text/html,x", "vbscript:x", "file:///etc/passwd", "x:y", "<java\tscript:x>",
        "\\javascript:x", "javascript\\:x"}) {
    EXPECT_EQ(html("[a](" + bad + ")").find("<a"), std::string::npos) << bad;
    EXPECT_EQ(html("![a](" + bad + ")").find("<a"), std::string::npos) << bad;
    EXPECT_EQ(html("[a][r]\n\n[r]: " + bad).find("<a"), std::string::npos) << bad;
  }
  EXPECT_EQ(html("<javascript:alert(1)>"), "<p>javascript:alert(1)</p>\n");
}

TEST(MarkdownHtml, ImagesAreLinksToThem) {
  EXPECT_EQ(html("![a *b*](c.png)"), "<p><a rel=nofollow href=\"c.png\">a <em>b</em></a></p>\n");
  EXPECT_EQ(html("![](<c&d.png>)"), "<p>c&amp;d.png</p>\n");
  EXPECT_EQ(html("[![a](b.svg)](c/)"), "<p><a rel=nofollow href=\"c/\">a</a></p>\n");
  EXPECT_EQ(html("![a [b](c)](d)"), "<p><a rel=nofollow href=\"d\">a b</a></p>\n");
}

TEST(MarkdownHtml, TheAuthorsMarkupIsDropped) {
  EXPECT_EQ(html("a <b onclick=x>c</b> <!-- d --> <script>e</script>"), "<p>a c  e</p>\n");
  EXPECT_EQ(html("<script>\nalert(1)\n</script>\n\n<img src=x onerror=y>\n\nz"), "<p>z</p>\n");
  EXPECT_EQ(html("`<script>`"), "<p><code>&lt;script&gt;</code></p>\n");
}

// The parser is linear but for nesting, and output grows with references: both are bounded.
TEST(MarkdownHtml, WhatGrowsOutOfBoundsIsRefused) {
  std::string out = "before";
  EXPECT_FALSE(append_markdown(out, times("> ", 33) + "a"));
  EXPECT_FALSE(append_markdown(out, "a\n\n" + times("* ", 60'000) + "a" + times("\n", 100'000)));
  EXPECT_FALSE(append_markdown(out, times("1) ", 33) + "a"));
  EXPECT_FALSE(append_markdown(out, "[a]: /" + times("u", 100'000) + "\n\n" + times("[a] ", 99)));
  EXPECT_EQ(out, "before");
  EXPECT_TRUE(append_markdown(out, times("-", 200) + "\n\n" + times("> ", 30) + "a\n\n" +
                                       times("a - b > c ", 100) + "\n\n" + times("1234567", 9)));
}

}  // namespace
}  // namespace servery::listing
