"""Forty column names that break careless output; every output kind is tried on all of them."""

from __future__ import annotations

HOSTILE_NAMES = (
    # markup
    "<script>alert(1)</script>",
    '"><img src=x onerror=alert(1)>',
    "' onmouseover='alert(1)",
    "</svg></style><b>",
    "a&b &amp; &#x41; &nosuch;",
    "]]>",
    "<![CDATA[x]]>",
    "<!-- -- --!>",
    "<?xml version='1.0'?><!DOCTYPE a [<!ENTITY e SYSTEM 'file:///etc/passwd'>]>&e;",
    "javascript:alert(1)",
    # control characters and terminals
    "nul\x00byte",
    "line\nbreak\r\nand\ttab",
    "\x1b[2J\x1b[1;31mred\x1b[0m",
    "\x1b]0;title\x07",
    "\x9b31m\x85\x7f\x08\x08back",
    "[bold red]rich[/]",
    # Unicode
    "right\u202eto-left\u202c",
    "\u2066isolate\u2069\u200e\u200f",
    "\u05e9\u05dc\u05d5\u05dd \u0645\u0631\u062d\u0628\u0627",
    "\U0001f468\u200d\U0001f469\u200d\U0001f467 \U0001f1e9\U0001f1ea \u2764\ufe0f",
    "e\u0301Z\u0351\u0343\u0334a\u030a\u0323\u0330lgo",
    "\u6e29\u5ea6\uff08\u2103\uff09",
    "\ufffe\uffff\ufeffnoncharacters",
    "lone \ud800 surrogate \udcff",
    "line\u2028paragraph\u2029next",
    # names that look like nothing, or like another
    "",
    " ",
    "\u200b\u3164\u00a0",
    "nan",
    "-",
    # other languages: shell, templates, tables, DOT, LaTeX, paths
    '"; rm -rf / #`id`$(id)',
    "{{7*7}} {% raw %} ${7*7} #{7*7} %s {0} %(x)s",
    "=cmd|' /C calc'!A0",
    'comma, "quote"; semi\\colon',
    'node [label="x"]; a -> b; }',
    "a → b",
    "$x^2$ \\alpha_{i} $",
    "\\",
    "../../etc/passwd\\..\\con",
    "long" * 2_500,
)
