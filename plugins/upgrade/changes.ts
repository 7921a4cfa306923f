// Changes between two versions in a changelog, beginning with the steps to take before an upgrade. Pure.

export interface VersionChanges {
  version: string
  /** Items with a step to take. */
  before_you_upgrade: string[]
  /** Other items by audience: callers, operators. */
  others: { of: string; items: string[] }[]
}

/** The audience whose items are omitted. */
const OMITTED_AUDIENCE = 'Contributors'
const VERSION = /^\d+\.\d+\.\d+\S*/
const AUDIENCE = /^[A-Z][a-z]+$/
const TO_DO = /Before you upgrade/

/**
 * @param changelog its text, newest version first
 * @param from the version in use; its own changes are not included
 * @param to the last included version
 */
export function changesBetween(changelog: string, from: string, to: string): VersionChanges[] {
  return sectionsOf(changelog)
    .filter(({ version }) => Bun.semver.order(version, from) > 0 && Bun.semver.order(version, to) <= 0)
    .map(({ version, lines }) => {
      const items = itemsOf(lines).filter(({ of }) => of !== OMITTED_AUDIENCE)
      const others = Map.groupBy(
        items.filter(({ text }) => !TO_DO.test(text)),
        ({ of }) => of,
      )
      return {
        version,
        before_you_upgrade: items.filter(({ text }) => TO_DO.test(text)).map(({ text }) => text),
        others: [...others].map(([of, those]) => ({ of, items: those.map(({ text }) => text) })),
      }
    })
}

function sectionsOf(changelog: string): { version: string; lines: string[] }[] {
  return changelog.split(/^## /m).flatMap((section) => {
    const [head = '', ...lines] = section.split('\n')
    const version = VERSION.exec(head)?.[0]
    return version === undefined ? [] : [{ version, lines }]
  })
}

/** An item begins with `- ` and continues in indented lines. A line of one word names the audience of the items after it. */
function itemsOf(lines: readonly string[]): { of: string; text: string }[] {
  const items: { of: string; text: string }[] = []
  let of = ''
  for (const line of lines) {
    const last = items.at(-1)
    if (line.startsWith('- ')) items.push({ of, text: line.slice(2).trim() })
    else if (line.startsWith('  ') && last) last.text += ` ${line.trim()}`
    else if (AUDIENCE.test(line)) of = line
  }
  return items
}
