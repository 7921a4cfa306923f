// The check that the suite runs beside its tests, of types and of promises that nobody awaits: the server's files and the console's pages, each with its own globals.
import { expect, test } from 'bun:test'
import { mkdirSync, symlinkSync } from 'node:fs'
import { join } from 'node:path'
import { folderOfFile } from './support/test-folder.ts'

const ROOT = join(import.meta.dir, '..')
const WEB = 'plugins/console/web'
/** Folders of files that are checked, as `bun run test` names them. */
const CHECKED = ['src', 'plugins', 'test']
const folder = folderOfFile()

/** Runs the linter. @returns what it says */
async function linted(cwd: string, ...more: string[]): Promise<string> {
  const command = ['x', '--no-install', 'oxlint', '-c', join(ROOT, '.oxlintrc.json'), ...more]
  const child = Bun.spawn([process.execPath, ...command], { cwd, stdout: 'pipe', stderr: 'inherit' })
  return child.stdout.text()
}

test('no file of the server, of the tests or of the pages is left out', async () => {
  const files = [...new Bun.Glob(`{${CHECKED}}/**/*.{ts,tsx}`).scanSync(ROOT)]
  expect(files.filter((file) => /^plugins\/[^/]+\/web\//.test(file)).length).toBeGreaterThan(200)
  const checked = new Set((await linted(ROOT, '--debug=files', ...CHECKED)).split('\n'))
  const isChecked = (file: string) => checked.has(file) || checked.has(join(ROOT, file))
  expect(files.filter((file) => !isChecked(file))).toEqual([])
})

test('wrong types, globals of browsers on the server, and promises that nobody awaits are found', async () => {
  symlinkSync(join(ROOT, 'node_modules'), folder.at('node_modules'))
  mkdirSync(folder.at('pages'))
  const writing = (name: string, text: string) => Bun.write(folder.at(name), text)
  const extending = (config: string) =>
    JSON.stringify({ extends: join(ROOT, config), include: ['*.ts'], exclude: [] })
  await writing('tsconfig.json', extending('tsconfig.json'))
  await writing('pages/tsconfig.json', extending(join(WEB, 'tsconfig.json')))
  const lines = ["export const id: number = 'a'", 'Promise.resolve(id)', 'document.title.trim()']
  await writing('server.ts', lines.join('\n'))
  await writing('pages/page.ts', lines.join('\n'))

  const found = (await linted(folder.path, '-f', 'unix', 'server.ts', 'pages/page.ts')).matchAll(
    /^(\S+?):(\d+):.*\((.+)\)\]$/gm,
  )
  expect([...found].map(([, ...finding]) => finding.join(' ')).toSorted()).toEqual([
    'pages/page.ts 1 TS2322',
    'pages/page.ts 2 no-floating-promises',
    'server.ts 1 TS2322',
    'server.ts 2 no-floating-promises',
    'server.ts 3 TS2584',
  ])
})
