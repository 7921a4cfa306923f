// The types of the console's pages, which are checked apart: they run in browsers, and know another set of globals.
import { expect, test } from 'bun:test'
import { join } from 'node:path'
import { API, type Diagnostic } from 'typescript/unstable/async'

const WEB = join(import.meta.dir, '../../plugins/console/web')
/** It takes seven seconds of a core, which a busy machine may have to share. */
const TIMEOUT_MS = 300_000

// The type checker is a Go program: a fifth of its time was collecting memory that it has no need to give back.
process.env.GOGC ??= '400'

/**
 * What is wrong in the pages. The routes bring the server's files along, which have a check of their own, with their own globals: the
 * command would check those, too, for half of its time.
 */
async function findingsOf(files: readonly string[]): Promise<readonly Diagnostic[]> {
  const api = new API({ cwd: WEB })
  try {
    const config = join(WEB, 'tsconfig.json')
    const snapshot = await api.updateSnapshot({ openProjects: [config] })
    const program = snapshot.getProject(config)?.program
    if (!program) throw new Error(`there is no project of ${config}`)
    const findings = [
      ...(await program.getConfigFileParsingDiagnostics()),
      ...(await program.getProgramDiagnostics()),
    ]
    // One after the other: several checkers would each check what the pages share.
    for (const file of files)
      findings.push(
        ...(await program.getSyntacticDiagnostics(file)),
        ...(await program.getSemanticDiagnostics(file)),
      )
    return findings
  } finally {
    await api.close()
  }
}

test(
  'the pages fit the types of their routes, of browsers and of each other',
  async () => {
    const files = [...new Bun.Glob('**/*.{ts,tsx}').scanSync(WEB)].map((file) => join(WEB, file))
    expect(files.length).toBeGreaterThan(200)
    const findings = await findingsOf(files)
    expect(findings.map(({ fileName, pos, text }) => `${fileName}, character ${pos}: ${text}`)).toEqual([])
  },
  TIMEOUT_MS,
)
