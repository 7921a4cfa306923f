// Changes between two versions in a changelog, beginning with the steps before an upgrade. Pure.

export interface VersionChanges {
  version: string
  /** Items that name something to do. */
  before_you_upgrade: string[]
  /** The others, by for whom they are: callers, operators. */
  others: { of: string; items: string[] }[]
}

/** Entries for contributors are left out. */
const LEFT_OUT = 'Contributors'
const VERSION = /^\d+\.\d+\.\d+\S*/
const FOR_WHOM = /^[A-Z][a-z]+$/
const TO_DO = /Before you upgrade/

/**
 * @param changelog its text, the newest version first
 * @param from the version in use, whose own changes are left out
 * @param to the last one whose changes are in the answer
 */
export function changesBetween(changelog: string, from: string, to: string): VersionChanges[] {
  return sectionsOf(changelog)
    .filter(({ version }) => Bun.semver.order(version, from) > 0 && Bun.semver.order(version, to) <= 0)
    .map(({ version, lines }) => {
      const items = itemsOf(lines).filter(({ of }) => of !== LEFT_OUT)
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

/** An item begins with `- ` and goes on in indented lines; a word that stands alone says for whom the next ones are. */
function itemsOf(lines: readonly string[]): { of: string; text: string }[] {
  const items: { of: string; text: string }[] = []
  let of = ''
  for (const line of lines) {
    const last = items.at(-1)
    if (line.startsWith('- ')) items.push({ of, text: line.slice(2).trim() })
    else if (line.startsWith('  ') && last) last.text += ` ${line.trim()}`
    else if (FOR_WHOM.test(line)) of = line
  }
  return items
}
