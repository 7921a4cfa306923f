// Owns the gateway as an operator runs it: `serve` in a process of its own, over a folder with one account.
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createAccount } from '../../src/access/accounts.ts'
import { createKey } from '../../src/access/keys.ts'
import { openDatabase } from '../../src/db/open.ts'
import type { Call, Hold } from '../../src/db/schema.ts'
import { NANOS_PER_USD } from '../../src/domain/money.ts'
import { audit } from '../../src/ledger/audit.ts'
import { createWriter } from '../../src/ledger/writer.ts'

const MAIN = join(import.meta.dir, '../../src/main.ts')

/** What is on the disk once the process is gone. */
export interface Books {
  findings: unknown[]
  calls: Call[]
  holds: Hold[]
}

export interface GatewayProcess extends AsyncDisposable {
  url: URL
  key: string
  signal(name: 'SIGTERM' | 'SIGINT'): void
  /** Its exit status, when it has ended. */
  ended: Promise<number>
  books(): Books
}

/** Starts it, and waits until it listens. @param catalogue the catalogue's text */
export async function startGatewayProcess(catalogue: string): Promise<GatewayProcess> {
  const folder = mkdtempSync(join(tmpdir(), 'tollgate-shutdown-'))
  await Bun.write(join(folder, 'tollgate.toml'), catalogue)
  const database_path = join(folder, 'tollgate.db')
  const key = prepare(database_path)
  const child = Bun.spawn([process.execPath, MAIN, 'serve', '--data', folder, '--listen', '127.0.0.1:0'], {
    stdin: 'ignore',
    stdout: 'ignore',
    stderr: 'pipe',
  })
  const url = await addressOf(child.stderr)
  return {
    url,
    key,
    signal: (name) => child.kill(name),
    ended: child.exited,
    books() {
      const db = openDatabase(database_path, { readonly: true })
      const calls = db.query<Call, []>('SELECT * FROM calls ORDER BY id').all()
      const holds = db.query<Hold, []>('SELECT * FROM holds ORDER BY id').all()
      const { findings } = audit(db)
      db.close()
      return { findings, calls, holds }
    },
    async [Symbol.asyncDispose]() {
      child.kill('SIGKILL')
      await child.exited
      rmSync(folder, { recursive: true, force: true })
    },
  }
}

function prepare(database_path: string): string {
  const db = openDatabase(database_path)
  const now_ms = Date.now()
  const { id: account_id } = createAccount(db, { name: 'caller', now_ms })
  const settings = {
    name: 'key',
    models: null,
    spend_limit_nanos: null,
    addresses: null,
    expires_at_ms: null,
  }
  const randomBytes = (length: number) => crypto.getRandomValues(new Uint8Array(length))
  const { text } = createKey(db, 'caller', settings, { randomBytes, now_ms })
  createWriter(db).commit([{ op: 'top_up', account_id, amount_nanos: 100 * NANOS_PER_USD, note: '', now_ms }])
  db.close()
  return text
}

async function addressOf(stderr: ReadableStream<Uint8Array>): Promise<URL> {
  const { promise, resolve, reject } = Promise.withResolvers<URL>()
  const read = async () => {
    let said = ''
    for await (const bytes of stderr) {
      said += Buffer.from(bytes).toString()
      const address = /listens on (http:\S+)/.exec(said)?.[1]
      if (address) resolve(new URL(address))
    }
    reject(new Error(`the gateway did not start: ${said}`))
  }
  void read()
  return await promise
}
