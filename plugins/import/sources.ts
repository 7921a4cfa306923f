// The sources of `import`, opened: a database, or LiteLLM's configuration with its database.
import { readFile } from 'node:fs/promises'
import { dirname, resolve } from 'node:path'
import { withPath } from '../../src/app/command-line/failure.ts'
import type { CliDeps } from '../../src/app/command-line/terminal.ts'
import { openLitellm } from './litellm/open.ts'
import type { OpenSource } from './move-in.ts'
import { openNewApi } from './new-api/open.ts'
import { openTables } from './source/open.ts'
import type { SourceTables } from './source/rows.ts'

/** An open source with its address, without a password. */
export interface OpenedSource {
  source: OpenSource
  address: string
}

/** @throws GatewayError as `openTables` */
export async function openDatabase(
  database: string,
  program: 'new-api' | 'one-api',
  { now }: Pick<CliDeps, 'now'>,
): Promise<OpenedSource> {
  const tables = await openTables(database)
  const source = await closingOnFailure(tables, openNewApi(tables, program, { now_ms: now() }))
  return { source, address: tables.address }
}

/** @throws GatewayError as `openTables`, `openLitellm`; the file system's error for a file that cannot be read */
export async function openLitellmFrom(
  { config, prices }: { config: string; prices?: string },
  database: string | undefined,
  { env, now }: Pick<CliDeps, 'env' | 'now'>,
): Promise<OpenedSource> {
  const text = await textOf(config)
  const price_list = prices === undefined ? undefined : await textOf(prices)
  const tables = database === undefined ? undefined : await openTables(database)
  const opening = openLitellm({
    config: text,
    readIncluded: (path) => textOf(resolve(dirname(config), path)),
    env,
    prices: price_list,
    tables,
    now_ms: now(),
  })
  const source = await (tables ? closingOnFailure(tables, opening) : opening)
  return { source, address: tables === undefined ? config : `${config} and ${tables.address}` }
}

/** Closes the tables if the source cannot be opened: openers leave them open. */
async function closingOnFailure(tables: SourceTables, opening: Promise<OpenSource>): Promise<OpenSource> {
  try {
    return await opening
  } catch (thrown) {
    await tables[Symbol.asyncDispose]()
    throw thrown
  }
}

async function textOf(path: string): Promise<string> {
  try {
    return await readFile(path, 'utf8')
  } catch (thrown) {
    throw withPath(thrown, path)
  }
}
