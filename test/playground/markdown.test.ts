// Answers of models in the playground: Markdown becomes elements, HTML stays text, links lead to the web only, at any depth.
import { expect, test } from 'bun:test'
import { createElement } from 'react'
import { renderToStaticMarkup } from 'react-dom/server'

const { Markdown } = await import(`${import.meta.dir}/../../plugins/playground/web/markdown.tsx`)
const render = (text: string) =>
  renderToStaticMarkup(createElement(Markdown, { text })).replace(/^<div class="markdown">|<\/div>$/g, '')

test.each([
  [
    '**bold**, *soft*, ~~gone~~ and `code`',
    '<p><strong>bold</strong>, <em>soft</em>, <del>gone</del> and <code>code</code></p>',
  ],
  ['# Title', '<h4>Title</h4>'],
  ['- one\n- two', '<ul><li>one</li><li>two</li></ul>'],
  ['3. three', '<ol start="3"><li>three</li></ol>'],
  ['- [x] done', '<ul><li>☑ done</li></ul>'],
  ['```js\na < b\n```', '<pre class="code-block" tabindex="0"><code>a &lt; b</code></pre>'],
  ['> said', '<blockquote><p>said</p></blockquote>'],
  ['one\ntwo', '<p>one<br/>two</p>'],
  ['a & b < c', '<p>a &amp; b &lt; c</p>'],
  ['| a | b |\n|---|--:|\n| 1 | 2 |', /<table>.*<th>a<\/th>.*<td class="end">2<\/td>/],
  [
    '[site](https://example.com/?a=1&b=2)',
    /<a href="https:\/\/example.com\/\?a=1&amp;b=2" target="_blank" rel="noreferrer noopener nofollow">site<\/a>/,
  ],
])('%j', (text, html) => {
  if (typeof html === 'string') expect(render(text)).toBe(html)
  else expect(render(text)).toMatch(html)
})

test.each([
  '<script>alert(1)</script>',
  'a <img src=x onerror=alert(1)> b',
  '<a href="javascript:alert(1)">x</a>',
  '[x](javascript:alert(1))',
  '[x](JaVaScRiPt:alert(1))',
  '[x](data:text/html,<script>alert(1)</script>)',
  '[x](/console/api/session)',
  '[x](//evil.example)',
  '![x](https://evil.example/seen.png)',
  '![x](javascript:alert(1))',
  '<iframe srcdoc="<script>alert(1)</script>">',
  '[x]: javascript:alert(1)\n\n[x]',
  '```html\n<script>alert(1)</script>\n```',
  '| <img src=x onerror=alert(1)> |\n|---|\n| <b onclick=alert(1)>x</b> |',
])('runs and loads nothing: %j', (text) => {
  const html = render(text)
  expect(html).not.toMatch(/<(script|img|iframe|b|form|input|style|svg|object|embed)\b/i)
  expect(html.match(/<a href="[^"]*"/g) ?? []).toEqual(
    text.includes('![x](https:') ? ['<a href="https://evil.example/seen.png"'] : [],
  )
})

test.each([
  '> '.repeat(4_000),
  `${'- '.repeat(1_000)}x`,
  '['.repeat(20_000),
  '*'.repeat(50_000),
  'x'.repeat(200_000),
])('is rendered however long or nested it is (case %#)', (text) => {
  expect(render(text).length).toBeGreaterThan(0)
})
