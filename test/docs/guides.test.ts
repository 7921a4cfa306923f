// The guides in Markdown: every link leads to an existing file and heading, and every path in code to an existing file.
import { describe, expect, test } from 'bun:test'
import { existsSync, readFileSync } from 'node:fs'
import { dirname, join, normalize } from 'node:path'

const ROOT = join(import.meta.dir, '../..')
const GUIDES = ['*.md', 'src/**/*.md', 'plugins/**/*.md', 'data/*.md', 'test/**/*.md']
  .flatMap((pattern) => [...new Bun.Glob(pattern).scanSync(ROOT)])
  .filter((file) => !file.startsWith('test/fixtures/'))
  .toSorted()

/** The text outside of code blocks. */
function proseOf(text: string): string {
  return text.replace(/^( *)```[\s\S]*?^\1```/gm, '')
}

/** The anchor that GitHub makes from a heading. */
const anchorOf = (heading: string): string =>
  heading
    .replace(/\[([^\]]*)\]\([^)]*\)/g, '$1')
    .toLowerCase()
    .replace(/[^\p{L}\p{N}_\- ]/gu, '')
    .trim()
    .replaceAll(' ', '-')

const read = (file: string): string => proseOf(readFileSync(join(ROOT, file), 'utf8'))
const anchors = new Map(
  GUIDES.map((file) => [
    file,
    new Set([...read(file).matchAll(/^#{1,6} (.*)$/gm)].map(([, heading = '']) => anchorOf(heading))),
  ]),
)

function brokenLink(file: string, link: string): string | undefined {
  const [path = '', anchor = ''] = link.split('#')
  const target = path === '' ? file : normalize(join(dirname(file), path))
  if (!existsSync(join(ROOT, target))) return `${link}: there is no ${target}`
  const known = anchors.get(target)
  return anchor !== '' && known && !known.has(anchor) ? `${link}: ${target} has no such heading` : undefined
}

/** Files that the examples of recipes and guides make. */
const OF_EXAMPLES =
  /(?:^|\/)(?:about|folder|engines|classifications?|notes|hello|call-budget|tollgate\.d)(?:[/.]|$)/

/** A path in code may begin at the top, in src, in test, or beside the guide. */
const pathExists = (file: string, path: string): boolean =>
  ['', 'src', 'test', dirname(file)].some((folder) => existsSync(join(ROOT, folder, path)))

describe.each(GUIDES)('%s', (file) => {
  const prose = read(file)

  test('its links lead somewhere', () => {
    const links = [...prose.matchAll(/\]\(([^)\s]+)\)/g)].map(([, link = '']) => link)
    const own = links.filter((link) => !/^(?:[a-z]+:|\/)/.test(link))
    expect(own.map((link) => brokenLink(file, link)).filter((broken) => broken !== undefined)).toEqual([])
  })

  test.skipIf(file.includes('CHANGELOG'))('the files that it names exist', () => {
    const paths = [...prose.matchAll(/`((?:[\w.-]+\/)+[\w.-]+\.(?:ts|tsx|sql|css))`/g)].map(
      ([, path = '']) => path,
    )
    expect(paths.filter((path) => !OF_EXAMPLES.test(path) && !pathExists(file, path))).toEqual([])
  })

  test('its examples import existing files', () => {
    const text = readFileSync(join(ROOT, file), 'utf8')
    const imports = [...text.matchAll(/from '(?:\.\.\/)+(src\/[^']+)'/g)].map(([, path = '']) => path)
    expect(imports.filter((path) => !OF_EXAMPLES.test(path) && !existsSync(join(ROOT, path)))).toEqual([])
  })
})
