// Mails as plain text and as a small HTML page, written from the template of a purpose in a language.
import { english } from './english.ts'
import type { About, Brand, MailFields, MailText, Purpose, Templates } from './purposes.ts'

/** English is complete. A language without a template uses the English one. */
const LANGUAGES: Readonly<Record<string, Partial<Templates>>> = { en: english }

/** @param language a BCP 47 tag; only its first part is used: `de-CH` is `de` */
export function writeMail<P extends Purpose>(
  purpose: P,
  fields: MailFields[P],
  language: string,
  about: About,
): MailText {
  const [primary = ''] = language.toLowerCase().split('-')
  const template = LANGUAGES[primary]?.[purpose] ?? english[purpose]
  return template(fields, about)
}

/** The context of a mail's text: brand and links. */
interface Frame {
  brand: Brand
  /** The URL of the brand's logo; undefined without one. */
  logo_url: string | undefined
  /** The full URL of the button; undefined without a button. */
  button_url: string | undefined
  /** The URL to unsubscribe; undefined for mails that are always sent. */
  unsubscribe_url: string | undefined
  language: string
}

interface Bodies {
  text: string
  html: string
}

export const bodiesOf = (mail: MailText, frame: Frame): Bodies => ({
  text: textOf(mail, frame),
  html: htmlOf(mail, frame),
})

function textOf({ title, paragraphs, button, small = [] }: MailText, frame: Frame): string {
  const { brand, button_url, unsubscribe_url } = frame
  const blocks = [
    title,
    ...paragraphs,
    ...(button && button_url !== undefined ? [`${button.label}:\n${button_url}`] : []),
    ...small,
    [
      `-- \n${brand.name}`,
      ...(brand.support_url === undefined ? [] : [`Questions: ${withoutMailto(brand.support_url)}`]),
      ...(unsubscribe_url === undefined ? [] : [`Unsubscribe from these notices:\n${unsubscribe_url}`]),
    ].join('\n'),
  ]
  return `${blocks.join('\n\n')}\n`
}

/** The page loads only the brand's logo, from this gateway. Mail programs drop style elements, so each element has a style attribute. */
function htmlOf({ subject, title, paragraphs, button, small = [] }: MailText, frame: Frame): string {
  const { brand, logo_url, button_url, unsubscribe_url, language } = frame
  const { support_url } = brand
  const footer = [
    Bun.escapeHTML(brand.name),
    ...(support_url === undefined ? [] : [link(support_url, 'Support', SMALL)]),
    ...(unsubscribe_url === undefined
      ? []
      : [link(unsubscribe_url, 'Unsubscribe from these notices', SMALL)]),
  ]
  return `<!doctype html>
<html lang="${Bun.escapeHTML(language)}">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>${Bun.escapeHTML(subject)}</title>
</head>
<body style="margin: 0; padding: 24px; font: 16px/1.5 system-ui, sans-serif">
<div style="max-width: 560px; margin: 0 auto">
${logo_url === undefined ? '' : logoHtml(logo_url, brand.name)}<h1 style="font-size: 20px; line-height: 1.3; margin: 0 0 16px">${Bun.escapeHTML(title)}</h1>
${paragraphs.map((text) => `<p style="margin: 0 0 16px">${Bun.escapeHTML(text)}</p>`).join('\n')}
${button && button_url !== undefined ? buttonHtml(button.label, button_url, brand.button) : ''}
${small.map((text) => `<p style="margin: 0 0 8px; ${SMALL}">${Bun.escapeHTML(text)}</p>`).join('\n')}
<p style="margin: 24px 0 0; padding-top: 12px; border-top: 1px solid #8888; ${SMALL}">${footer.join(' · ')}</p>
</div>
</body>
</html>
`
}

const SMALL = 'font-size: 13px; opacity: 0.8; color: inherit'

const link = (url: string, label: string, style: string): string =>
  `<a href="${Bun.escapeHTML(url)}" style="${style}">${Bun.escapeHTML(label)}</a>`

/** The button, with its address below for mail programs without links, and for people who check it first. */
const buttonHtml = (label: string, url: string, { fill, text }: Brand['button']): string =>
  `<p style="margin: 0 0 16px">${link(url, label, `display: inline-block; padding: 10px 18px; border-radius: 6px; background: ${fill}; color: ${text}; text-decoration: none; font-weight: 600`)}</p>
<p style="margin: 0 0 16px; ${SMALL}; overflow-wrap: anywhere">${Bun.escapeHTML(url)}</p>`

/** The logo; mail programs that block images show the name instead. */
const logoHtml = (url: string, name: string): string =>
  `<p style="margin: 0 0 24px"><img src="${Bun.escapeHTML(url)}" alt="${Bun.escapeHTML(name)}" height="32" style="height: 32px; max-width: 100%; font-weight: 600"></p>
`

const withoutMailto = (url: string): string => url.replace(/^mailto:/, '')
