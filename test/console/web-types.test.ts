// The types of the console's pages, which are checked apart: they run in browsers, and know another set of globals.
import { expect, test } from 'bun:test'
import { join } from 'node:path'

const ROOT = join(import.meta.dir, '../..')
const WEB = 'plugins/console/web'
/** It takes seven seconds of a core, which a busy machine may have to share. */
const TIMEOUT_MS = 300_000

test(
  'the pages fit the types of their routes, of browsers and of each other',
  async () => {
    const child = Bun.spawn(
      // More checkers would each check what they share.
      [
        process.execPath,
        'x',
        '--no-install',
        'tsc',
        '--noEmit',
        '--checkers',
        '1',
        '--pretty',
        'false',
        '-p',
        WEB,
      ],
      { cwd: ROOT, stdout: 'pipe', stderr: 'pipe' },
    )
    const [said, exit_code] = await Promise.all([child.stdout.text(), child.exited])
    expect(exit_code === 0 || said.includes('error TS')).toBe(true)
    const lines = said.split('\n')
    // The routes bring the server's files along, which have a check of their own, with their own globals.
    const findings = lines.filter((line) => /^(?!src\/|plugins\/console\/api\/|\s)\S/.test(line))
    expect(findings).toEqual([])
  },
  TIMEOUT_MS,
)
