// Markdown of a model's answer, as elements: HTML stays visible as text, and nothing is loaded from elsewhere.
import { marked, type Token, type Tokens } from 'marked'
import { Fragment, memo, type ReactNode } from 'react'

/** A longer answer is shown as plain text, because each new piece would parse the whole text again. */
const MAX_CHARS = 100_000
const MAX_DEPTH = 16

export const Markdown = memo(function Markdown({ text }: { text: string }) {
  const tokens = text.length > MAX_CHARS ? undefined : tokensOf(text)
  if (!tokens) return <div className="plain-text">{text}</div>
  return <div className="markdown">{all(tokens, 0)}</div>
})

function tokensOf(text: string): Token[] | undefined {
  try {
    return marked.lexer(text, { gfm: true, breaks: true })
  } catch {
    // Nested deeper than the parser's stack: shown unchanged.
    return undefined
  }
}

const all = (tokens: readonly Token[] | undefined, depth: number): ReactNode =>
  tokens?.map((token, at) => (
    // biome-ignore lint/suspicious/noArrayIndexKey: a growing answer keeps the order of its parts
    <Fragment key={at}>{one(token as Tokens.Generic, depth)}</Fragment>
  ))

function one(token: Tokens.Generic, depth: number): ReactNode {
  if (depth > MAX_DEPTH) return token.raw
  const render = RENDERERS[token.type]
  return render ? render(token, depth + 1) : token.raw
}

const within = (token: Tokens.Generic, depth: number): ReactNode =>
  token.tokens ? all(token.tokens, depth) : unescaped(token)

/** The parser escapes nothing of a token's text; React does. */
const unescaped = ({ text, raw }: Tokens.Generic): string => (typeof text === 'string' ? text : raw)

const RENDERERS: Readonly<Record<string, (token: Tokens.Generic, depth: number) => ReactNode>> = {
  space: () => null,
  def: () => null,
  hr: () => <hr />,
  br: () => <br />,
  paragraph: (token, depth) => <p>{within(token, depth)}</p>,
  // Below the page's own headings.
  heading: (token, depth) => <h4>{within(token, depth)}</h4>,
  blockquote: (token, depth) => <blockquote>{within(token, depth)}</blockquote>,
  code: ({ text }) => (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reached by the keyboard
    <pre className="code-block" tabIndex={0}>
      <code>{text}</code>
    </pre>
  ),
  codespan: ({ text }) => <code>{text}</code>,
  strong: (token, depth) => <strong>{within(token, depth)}</strong>,
  em: (token, depth) => <em>{within(token, depth)}</em>,
  del: (token, depth) => <del>{within(token, depth)}</del>,
  text: within,
  escape: unescaped,
  html: ({ raw }) => raw,
  link: (token, depth) => <SafeLink href={token.href}>{within(token, depth)}</SafeLink>,
  // Loading a picture from another host would reveal the reader to that host.
  image: ({ href, text, raw }) => <SafeLink href={href}>{text || raw}</SafeLink>,
  list: (token, depth) => {
    const { ordered, start, items } = token as unknown as Tokens.List
    const elements = items.map((item, at) => (
      // biome-ignore lint/suspicious/noArrayIndexKey: as above
      <li key={at}>
        {item.task && (item.checked ? '☑ ' : '☐ ')}
        {all(
          item.tokens.filter(({ type }) => type !== 'checkbox'),
          depth,
        )}
      </li>
    ))
    return ordered ? <ol start={Number(start)}>{elements}</ol> : <ul>{elements}</ul>
  },
  table: (token, depth) => <MarkdownTable table={token as unknown as Tokens.Table} depth={depth} />,
}

function MarkdownTable({ table: { header, rows }, depth }: { table: Tokens.Table; depth: number }) {
  const cell = (Cell: 'th' | 'td') => (each: Tokens.TableCell, at: number) => (
    <Cell key={at} className={each.align === 'right' ? 'end' : undefined}>
      {all(each.tokens, depth)}
    </Cell>
  )
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reached by the keyboard
    <div className="markdown-table" tabIndex={0}>
      <table>
        <thead>
          <tr>{header.map(cell('th'))}</tr>
        </thead>
        <tbody>
          {rows.map((row, at) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: as above
            <tr key={at}>{row.map(cell('td'))}</tr>
          ))}
        </tbody>
      </table>
    </div>
  )
}

/** Allows links to the web only: no scripts, and no addresses of this console. */
function SafeLink({ href, children }: { href: string; children: ReactNode }) {
  if (!/^(https?:\/\/|mailto:)/i.test(href)) return children
  return (
    <a href={href} target="_blank" rel="noreferrer noopener nofollow">
      {children}
    </a>
  )
}
