// Accessibility checks of console pages with axe (https://github.com/dequelabs/axe-core): findings with the impact serious or worse.
import type { CDPSession, Page } from 'playwright-core'

/** The rules whose result depends on the theme. */
export const COLOUR_RULES = ['color-contrast', 'link-in-text-block']

let source: string | undefined

/** The figures of all elements for their selectors, a tenth of axe's time. A finding shows its HTML, without a selector. */
const SELECTOR_FIGURES = /(?<=axe\._selectorData=)\w+\(\w+\.flatTree\)/g

/** Always the same text, so that the browser compiles it once. In ASCII, because V8 reads other texts at half the speed. */
async function axeSource(): Promise<string> {
  const text = await Bun.file(Bun.resolveSync('axe-core/axe.min.js', import.meta.dir)).text()
  if (text.search(SELECTOR_FIGURES) < 0) throw new Error('axe computes its figures for selectors elsewhere')
  const patched = `${text.replace(SELECTOR_FIGURES, '{}')};${REPORT}`
  return patched.replace(/[^\0-\x7f]/g, (char) => `\\u${char.charCodeAt(0).toString(16).padStart(4, '0')}`)
}

/** They stay open: the end of one would remove the virtual devices of passkeys from its page. */
const sessions = new WeakMap<Page, CDPSession>()

/** Loads axe by the browser's own protocol: Playwright would copy the source twice more. */
async function loadAxe(page: Page): Promise<void> {
  source ??= await axeSource()
  const session = sessions.get(page) ?? (await page.context().newCDPSession(page))
  sessions.set(page, session)
  await session.send('Runtime.evaluate', { expression: source })
  await page.evaluate(measureOnce(passed))
}

/**
 * A report of findings alone: axe's own reports serialize elements without findings, too. No HTML is kept during the run. A link that
 * differs from its text by its style needs no measured colours, since either is enough for the rule. Only a named element can have
 * another name than its text. No page has a font of icons, which axe would look for by drawing texts.
 */
const REPORT = `
  (() => {
    const COUNT = ['serious', 'critical']
    const { 'link-in-text-block': colours, 'link-in-text-block-style': style, 'label-content-name-mismatch': names } = axe._audit.checks
    const options = { ...names.options, occurrenceThreshold: 0 }
    axe.configure({ noHtml: true, rules: [{ id: names.id, selector: '[aria-label], [aria-labelledby]' }], checks: [{ id: names.id, options }] })
    axe.addReporter('findings', (results) =>
      results
        .filter(({ impact, violations }) => violations.length > 0 && COUNT.includes(impact))
        .map(({ id, help, violations }) => id + ': ' + help + ' ' + violations.map(({ node }) => node.element.outerHTML.slice(0, 160)).join(' | ')))
    const measure = colours.evaluate
    const isDistinct = (element) => style.evaluate.call({ data() {}, relatedNodes() {} }, element) === true
    colours.evaluate = function (element, ...more) { return isDistinct(element) || measure.call(this, element, ...more) }
  })()
`

/** The contrasts that passed in this process, by `keyOf` of the page's script. */
const passed = new Set<string>()

/**
 * Contrasts of texts take three quarters of axe's time, and most texts look like others. A text that has passed is known by all that
 * its contrast depends on: its colours and size, and the layers painted at its place. Only new texts are measured.
 */
const measureOnce = (known: Iterable<string>) => `
  (() => {
    const rule = axe._audit.rules.find(({ id }) => id === 'color-contrast')
    const check = axe._audit.checks['color-contrast']
    const { matches } = rule
    const { evaluate } = check
    const known = new Set(${JSON.stringify([...known])})
    let painted = []
    let keys = new Map()
    let added = []

    const layerOf = (style) => {
      const { backgroundColor, backgroundImage, opacity, filter, backdropFilter, mixBlendMode, zIndex } = style
      const layer = [backgroundColor, backgroundImage, opacity, filter, backdropFilter, mixBlendMode].join()
      return layer === 'rgba(0, 0, 0, 0),none,1,none,none,normal' ? undefined : layer + zIndex
    }
    const hash = (text, seed) => {
      let sum = seed
      for (let at = 0; at < text.length; at++) sum = Math.imul(sum ^ text.charCodeAt(at), 0x01000193)
      return (sum >>> 0).toString(36)
    }
    const keyOf = (element) => {
      const found = keys.get(element)
      if (found !== undefined) return found
      const style = getComputedStyle(element)
      const { left, right, top, bottom } = element.getBoundingClientRect()
      const { color, fontSize, fontWeight, textShadow, webkitTextFillColor, webkitTextStrokeWidth, webkitTextStrokeColor } = style
      const parts = [color, fontSize, fontWeight, textShadow, webkitTextFillColor, webkitTextStrokeWidth, webkitTextStrokeColor]
      for (const { other, layer, rect } of painted) {
        if (other.contains(element)) parts.push(layer)
        else if (rect.left < right && rect.right > left && rect.top < bottom && rect.bottom > top) {
          const is_whole = rect.left <= left && rect.right >= right && rect.top <= top && rect.bottom >= bottom
          parts.push((is_whole ? 'over ' : 'across ') + layer)
        }
      }
      const text = parts.join('|')
      const key = hash(text, 0x811c9dc5) + hash(text, 0x2f0b4a63)
      keys.set(element, key)
      return key
    }
    const hasText = ({ childNodes }) => [...childNodes].some((child) => child.nodeType === Node.TEXT_NODE && child.nodeValue.trim() !== '')

    rule.matches = (element, ...more) =>
      (hasText(element) || element.matches('input, select, textarea')) && !known.has(keyOf(element)) && matches.call(rule, element, ...more)
    check.evaluate = function (element, ...more) {
      const key = keyOf(element)
      if (known.has(key)) return true
      let is_measured = false
      const helper = Object.create(this, {
        data: { value: (data) => { is_measured = data.fgColor !== undefined && data.messageKey == null; this.data(data) } },
      })
      const result = evaluate.call(helper, element, ...more)
      if (result === true && is_measured) known.add(key), added.push(key)
      return result
    }
    globalThis.tollgateContrasts = {
      begin() {
        added = []
        keys = new Map()
        painted = [...document.querySelectorAll(':not(svg *)')].flatMap((other) => {
          const layer = layerOf(getComputedStyle(other))
          return layer === undefined ? [] : [{ other, layer, rect: other.getBoundingClientRect() }]
        })
      },
      added: () => added,
    }
  })()
`

/**
 * Runs axe without preloading, since the pages' styles are of their own origin, and loaded. A rule with an impact of its own reports
 * no other, so rules of a lesser impact need not run. Nothing behind an open modal dialog can be read or reached.
 */
const axeRun = (rules: readonly string[] | undefined) => `
  (() => {
    if (typeof tollgateContrasts !== 'object') return null
    const COUNT = ['serious', 'critical']
    const lesser = axe._audit.rules.filter(({ impact }) => impact && !COUNT.includes(impact))
    const rules = Object.fromEntries(lesser.map(({ id }) => [id, { enabled: false }]))
    const only = ${JSON.stringify(rules ?? null)}
    const dialogs = [...document.querySelectorAll('[role="dialog"], [role="alertdialog"]')]
    const is_modal = dialogs.length > 0 && document.querySelector('#console[data-base-ui-inert]')
    tollgateContrasts.begin()
    return axe
      .run(is_modal ? { include: dialogs } : document, { reporter: 'findings', preload: false, ...(only ? { runOnly: only } : { rules }) })
      .then((findings) => ({ findings, added: tollgateContrasts.added() }))
  })()
`

/** The findings of axe with the impact serious or worse, by these rules or by all. */
export async function axeFindings(page: Page, rules?: readonly string[]): Promise<string[]> {
  const run = () => page.evaluate<{ added: string[]; findings: string[] } | null>(axeRun(rules))
  let ran = await run()
  if (ran === null) ran = await loadAxe(page).then(run)
  const { added = [], findings = ['axe is not loaded'] } = ran ?? {}
  for (const key of added) passed.add(key)
  return findings
}
