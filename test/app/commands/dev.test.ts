// `bun run dev`: the gateway restarts on the same data folder when its code changes, and signals still end it.
import { expect, test } from 'bun:test'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import manifest from '../../../package.json' with { type: 'json' }
import { openDatabase } from '../../../src/store/engines/sqlite/open.ts'
import { freePort } from '../../support/free-port.ts'
import { folderOfFile } from '../../support/test-folder.ts'

const MAIN = join(import.meta.dir, '../../../src/main.ts')

const dir = folderOfFile()
const data = dir.at('data')
/** The code that changes: a file of its own, so that the test edits no file of the project. */
const entry = dir.at('main.ts')
const saveEntry = (revision: number) => writeFileSync(entry, `// ${revision}\nawait import('${MAIN}')\n`)

/** Bun's own options in the script, such as --watch. */
function watchOptions(): string[] {
  const [, options] = /bun ((?:--\S+ )+)src\/main\.ts serve$/.exec(manifest.scripts.dev) ?? []
  if (options === undefined)
    throw new Error(`not the dev script that this test knows: ${manifest.scripts.dev}`)
  return options.trim().split(' ')
}

/** The address of each "listens on" line. */
async function* addresses(stderr: ReadableStream<Uint8Array>): AsyncGenerator<string> {
  let text = ''
  for await (const chunk of stderr) {
    text += new TextDecoder().decode(chunk)
    const found = /listens on (\S+)\n/.exec(text)
    if (!found?.[1]) continue
    text = text.slice(found.index + found[0].length)
    yield found[1]
  }
}

test('a change of the code restarts `bun run dev` on the same port and folder, and SIGTERM ends it', async () => {
  saveEntry(1)
  const listen = `127.0.0.1:${freePort()}`
  await using gateway = Bun.spawn(
    [process.execPath, ...watchOptions(), entry, 'serve', '--data', data, '--listen', listen],
    { stdin: 'ignore', stdout: 'ignore', stderr: 'pipe' },
  )
  const started = addresses(gateway.stderr)
  expect((await started.next()).value).toBe(`http://${listen}`)
  saveEntry(2)
  expect((await started.next()).value).toBe(`http://${listen}`)
  expect((await fetch(`http://${listen}/readyz`)).status).toBe(200)
  gateway.kill('SIGTERM')
  expect(await gateway.exited).toBe(0)
  const db = openDatabase(join(data, 'tollgate.db'), { readonly: true })
  expect(db.query('SELECT name FROM accounts').all()).toEqual([{ name: 'demo' }])
  expect(db.query('SELECT name FROM keys').all()).toHaveLength(1)
  db.close()
})
