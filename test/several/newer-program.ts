// A newer program, for `bun --preload`: this one with a further migration, and another version. READABLE_FROM of the environment, if
// it is not 0, is what a program must know at least from then on: the further one by 1.
import { plugin } from 'bun'

/** Only adds: what is there before is used by older programs meanwhile. */
const SQL = `
ALTER TABLE accounts ADD COLUMN added bigint NOT NULL DEFAULT 7;
ALTER TABLE calls ADD COLUMN added text COLLATE "C";
ALTER TABLE gateways ADD COLUMN added bigint NOT NULL DEFAULT 0;
CREATE TABLE additions (id bigint PRIMARY KEY);
CREATE INDEX accounts_by_added ON accounts (added);
`

export const NEWER_VERSION = '99.0.0'

plugin({
  name: 'newer program',
  setup(build) {
    build.onLoad({ filter: /\/src\/db\/postgres\/migrate\.ts$/ }, async ({ path }) => {
      const text = await Bun.file(path).text()
      const [, newest = ''] = /version: (\d+), [^\n]*\n\]\n/.exec(text) ?? []
      const version = Number(newest) + 1
      const readable_from = process.env.READABLE_FROM === '1' ? version : 28
      const further = `  { version: ${version}, sql: ${JSON.stringify(SQL)}, readable_from: ${readable_from} },\n`
      const contents = text.replace(/\n\]\n\nexport const NEWEST/, `\n${further}]\n\nexport const NEWEST`)
      if (contents === text) throw new Error(`${path} has no list of migrations before NEWEST`)
      return { contents, loader: 'ts' }
    })
    build.onLoad({ filter: /^(?!.*node_modules).*\/package\.json$/ }, async ({ path }) => ({
      exports: { default: { ...(await Bun.file(path).json()), version: NEWER_VERSION } },
      loader: 'object',
    }))
  },
})
