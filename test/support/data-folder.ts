// A prepared data folder for a gateway in a separate process: catalogue, accounts with balance, and a key for each.
import { randomBytes } from 'node:crypto'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createAccount } from '../../src/access/accounts.ts'
import { createKey } from '../../src/access/keys.ts'
import { parseUsd } from '../../src/domain/money.ts'
import { createWriter } from '../../src/money/ledger/writer.ts'
import { openDatabase } from '../../src/store/engines/sqlite/open.ts'
import { dbOver } from '../../src/store/engines/sqlite/sqlite.ts'
import { makeEmptyDatabase } from './empty-database.ts'

export interface DataFolder extends Disposable {
  path: string
  database_path: string
  /** One key's text for each account. */
  keys: string[]
}

/** @param catalogue the catalogue's text */
export async function prepareDataFolder(
  catalogue: string,
  {
    accounts = 1,
    balance_usd = '100',
    parent_folder = tmpdir(),
  }: { accounts?: number; balance_usd?: string; parent_folder?: string } = {},
): Promise<DataFolder> {
  const path = mkdtempSync(join(parent_folder, 'tollgate-test-'))
  await Bun.write(join(path, 'tollgate.toml'), catalogue)
  const database_path = join(path, 'tollgate.db')
  makeEmptyDatabase(database_path)
  const connection = openDatabase(database_path)
  const db = dbOver(connection)
  const writer = createWriter(connection)
  const now_ms = Date.now()
  const keys: string[] = []
  for (let index = 1; index <= accounts; index++) {
    const { id: account_id, name } = await createAccount(db, { name: `account-${index}`, now_ms })
    writer.commit([{ op: 'top_up', account_id, amount_nanos: parseUsd(balance_usd), note: 'test', now_ms }])
    keys.push((await createKey(db, name, { name: 'key' }, { randomBytes, now_ms })).text)
  }
  await db.close()
  return {
    path,
    database_path,
    keys,
    [Symbol.dispose]: () => rmSync(path, { recursive: true, force: true }),
  }
}
