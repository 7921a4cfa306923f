// A newer program: NEWER in its environment adds a migration and changes its version. With READABLE_FROM = 1 older programs cannot use
// the tables after that migration.
import { type BunPlugin, plugin } from 'bun'

/** Only adds: older programs go on using the existing columns and tables. */
const SQL = `
ALTER TABLE accounts ADD COLUMN added bigint NOT NULL DEFAULT 7;
ALTER TABLE calls ADD COLUMN added text COLLATE "C";
ALTER TABLE gateways ADD COLUMN added bigint NOT NULL DEFAULT 0;
CREATE TABLE additions (id bigint PRIMARY KEY);
CREATE INDEX accounts_by_added ON accounts (added);
`

const NEWER_VERSION = '99.0.0'

/** For the build of the tests' programs, and for a program that starts from source. Without NEWER nothing changes. */
export const newerProgram: BunPlugin = {
  name: 'newer program',
  setup(build) {
    build.onLoad({ filter: /\/src\/store\/engines\/postgres\/migrate\.ts$/ }, async ({ path }) => {
      const text = await Bun.file(path).text()
      const [, newest = ''] = /version: (\d+), [^\n]*\n\]\n/.exec(text) ?? []
      const version = Number(newest) + 1
      const readable_from = `process.env.READABLE_FROM === '1' ? ${version} : ${newest}`
      const migration = `{ version: ${version}, sql: ${JSON.stringify(SQL)}, readable_from: ${readable_from} }`
      const further = `  ...(process.env.NEWER ? [${migration}] : []),\n`
      const contents = text.replace(/\n\]\n\nexport const NEWEST/, `\n${further}]\n\nexport const NEWEST`)
      if (contents === text) throw new Error(`${path} has no list of migrations before NEWEST`)
      return { contents, loader: 'ts' }
    })
    build.onLoad({ filter: /^(?!.*node_modules).*\/package\.json$/ }, async ({ path }) => {
      const manifest = await Bun.file(path).text()
      const version = `process.env.NEWER ? { version: '${NEWER_VERSION}' } : {}`
      return { contents: `export default { ...${manifest}, ...(${version}) }`, loader: 'js' }
    })
  },
}

// For a program that starts from source, where this file is preloaded.
await plugin(newerProgram)
