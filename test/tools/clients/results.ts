// The results of clients, stored in the cache, so that the list can combine several runs.
import { join } from 'node:path'
import type { Client } from './client.ts'
import type { Trial } from './trial.ts'

/** The last trial of a client, and its day, such as 2026-11-22. */
export interface Result extends Trial {
  readonly day: string
}

const fileOf = (cache: string, { name }: Client) => Bun.file(join(cache, 'results', `${name}.json`))

/** Stores a result in place of the previous one. */
export async function storeResult(cache: string, { client, verdicts, day }: Result): Promise<void> {
  const text = JSON.stringify({ version: client.version, verdicts, day }, null, 2)
  await Bun.write(fileOf(cache, client), text)
}

/** The stored results of these clients in their present versions. */
export async function readResults(cache: string, clients: readonly Client[]): Promise<Result[]> {
  const results: Result[] = []
  for (const client of clients) {
    const file = fileOf(cache, client)
    if (!(await file.exists())) continue
    const { version, verdicts, day } = await file.json()
    if (version === client.version) results.push({ client, verdicts, day })
  }
  return results
}
