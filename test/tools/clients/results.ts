// What clients came to, kept in the cache, so that the list can be made of several runs.
import { join } from 'node:path'
import type { Client } from './client.ts'
import type { Tried } from './trial.ts'

/** A client as it was last tried, and the day of that, such as 2026-11-22. */
export interface Result extends Tried {
  readonly day: string
}

const fileOf = (cache: string, { name }: Client) => Bun.file(join(cache, 'results', `${name}.json`))

/** Keeps a result in place of the one before. */
export async function keepResult(cache: string, { client, verdicts, day }: Result): Promise<void> {
  const text = JSON.stringify({ version: client.version, verdicts, day }, null, 2)
  await Bun.write(fileOf(cache, client), text)
}

/** The results of these clients, as far as they were tried in the version that is asked for now. */
export async function keptResults(cache: string, clients: readonly Client[]): Promise<Result[]> {
  const results: Result[] = []
  for (const client of clients) {
    const file = fileOf(cache, client)
    if (!(await file.exists())) continue
    const { version, verdicts, day } = await file.json()
    if (version === client.version) results.push({ client, verdicts, day })
  }
  return results
}
