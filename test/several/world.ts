// Several gateways over one PostgreSQL database, each a process in a folder of its own, before one scripted provider.
import { expect } from 'bun:test'
import { randomBytes } from 'node:crypto'
import { appendFileSync, mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { createAccount } from '../../src/access/accounts.ts'
import { createKey } from '../../src/access/keys.ts'
import type { Bucket } from '../../src/domain/catalogue.ts'
import { parseUsd } from '../../src/domain/money.ts'
import { audit } from '../../src/money/ledger/audit.ts'
import { openSharedLedger } from '../../src/money/ledger/postgres/executor.ts'
import type { PostgresDb } from '../../src/store/engines/postgres/db.ts'
import { openPostgres } from '../../src/store/engines/postgres/open.ts'
import { catalogueOf } from '../support/catalogue.ts'
import { eventually } from '../support/eventually.ts'
import { filesLines } from '../support/files.ts'
import { dropDatabase, makeDatabase } from '../support/postgres.ts'
import { startProxy } from '../support/postgres-proxy.ts'
import { commandOf, executable } from '../support/programs.ts'
import { putCatalogueIn } from '../support/shared-catalogue.ts'
import { temporary } from '../support/temporary.ts'
import { type Script, startUpstream, type Upstream } from '../support/upstream.ts'

/** Shorter than in production, so that a test need not wait for long. */
export const TIMES = { BEAT_EVERY_MS: 250, SILENT_AFTER_MS: 2_000, SWEEP_EVERY_MS: 500 }
/** For gateways whose tests wait for no sweep: sweeping is half of the work of an idle one. */
export const RARE_SWEEPS = { SWEEP_EVERY_MS: 2_500 }

export interface Member {
  url: URL
  folder: string
  signal(name: NodeJS.Signals): void
  ended: Promise<number>
  log(): Promise<string>
}

export interface World extends AsyncDisposable {
  members: readonly Member[]
  upstream: Upstream
  db: PostgresDb
  /** Past the proxy. */
  database_url: string
  /** Makes an account with this balance and a key. @param settings of the key @param name of the account @returns the text of the key */
  caller(balance_usd: string, settings?: object, name?: string): Promise<string>
  /** Sends a request to a member by its index, modulo their number. */
  call(
    member: number,
    path: string,
    body: unknown,
    key: string,
    headers?: Record<string, string>,
  ): Promise<Response>
  /** Starts one more gateway, in a new folder or in that of a stopped one. */
  join(environment?: Record<string, number>, folder?: string): Promise<Member>
  /** Cuts all gateways off from the server of the database, or lets them reach it again. */
  cutOff(is_cut_off: boolean): void
  /** Silences the connections of all gateways to the server; new ones work. */
  silence(): void
  /** Waits until nothing is held, and asserts that the books agree. */
  rest(): Promise<void>
}

interface Options {
  gateways?: number
  script?: Script
  /** Further sections of the catalogue, or a function of the upstream's address that returns them. */
  more?: string | ((upstream: Pick<Upstream, 'url'>) => string)
  environment?: Record<string, number>[]
  /** The bucket for the files of all gateways. Without it each has them in its folder, which is right only for calls without files. */
  files?: Bucket | undefined
  /** Lines of `[server]`. */
  server?: string
}

/** Nobody listens there. */
const NOWHERE = 'postgres://127.0.0.1:1/'

export async function world({
  gateways = 3,
  script,
  more,
  environment = [],
  files,
  server,
}: Options = {}): Promise<World> {
  const stack = new AsyncDisposableStack()
  const upstream = stack.use(await startUpstream(script))
  const { name, url } = await makeDatabase()
  stack.defer(() => dropDatabase(name))
  const proxy = stack.use(await startProxy(url))
  const folder = stack.use(temporary())
  const db = stack.use(await openPostgres(url))
  const ledger = openSharedLedger(url)
  stack.defer(() => ledger.close())
  const members: Member[] = []
  stack.defer(async () => {
    for (const member of members) member.signal('SIGKILL')
    await Promise.all(members.map(({ ended }) => ended))
  })
  const sections = typeof more === 'function' ? more(upstream) : more
  const catalogue = catalogueOf({ upstream_url: upstream.url, server, more: sections })
  await putCatalogueIn(url, catalogue)
  const text = `[storage]
database = "${proxy.url}"
${files ? filesLines(files) : ''}`
  let accounts = 0
  const made: World = {
    members,
    upstream,
    db,
    database_url: url,
    async caller(balance_usd, settings = {}, name = `account-${accounts + 1}`) {
      accounts += 1
      const now_ms = Date.now()
      const { id: account_id } = await createAccount(db, { name, now_ms })
      const amount_nanos = parseUsd(balance_usd)
      await ledger.submit({ op: 'top_up', account_id, amount_nanos, note: 'test', now_ms })
      const { text: key } = await createKey(db, name, { name: 'key', ...settings }, { randomBytes, now_ms })
      return key
    },
    call(member, path, body, key, headers = {}) {
      const { url: base } = members[member % members.length] as Member
      return fetch(new URL(path, base), {
        method: 'POST',
        headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json', ...headers },
        body: JSON.stringify(body),
      })
    },
    async join(own = {}, within = folder.at(`gateway-${members.length + 1}`)) {
      mkdirSync(within, { recursive: true })
      await Bun.write(join(within, 'tollgate.toml'), text)
      const member = await startMember(within, own)
      members.push(member)
      return member
    },
    cutOff(is_cut_off) {
      proxy.redirect(is_cut_off ? NOWHERE : url)
      if (is_cut_off) proxy.cutAll()
    },
    silence: proxy.silence,
    async rest() {
      await eventually('nothing is held', async () => {
        const [row] = await db.rows<{ held: number }>(
          "SELECT count(*) AS held FROM holds WHERE state = 'pending'",
        )
        return row?.held === 0
      })
      expect((await audit(db)).findings).toEqual([])
    },
    [Symbol.asyncDispose]: () => stack.disposeAsync(),
  }
  for (let at = 0; at < gateways; at += 1) await made.join(environment[at])
  return made
}

/** A program that starts from source becomes newer when it is loaded, the executable when it is built. */
const NEWER = executable
  ? commandOf('several-gateway')
  : commandOf('several-gateway').toSpliced(1, 0, '--preload', join(import.meta.dir, 'newer-program.ts'))

async function startMember(folder: string, own: Record<string, number>): Promise<Member> {
  // Tests read it before the gateway has logged anything.
  appendFileSync(join(folder, 'log'), '')
  const times = Object.entries({ ...TIMES, ...own }).map(([name, value]) => [name, String(value)])
  const command = own.NEWER ? NEWER : commandOf('several-gateway')
  const child = Bun.spawn([...command, folder], {
    env: { ...process.env, ...Object.fromEntries(times) },
    stdin: 'ignore',
    stdout: 'pipe',
    stderr: 'pipe',
  })
  let output = ''
  for await (const bytes of child.stdout) {
    output += Buffer.from(bytes).toString()
    if (output.includes('\n')) break
  }
  const address = /listens on (\S+)/.exec(output)?.[1]
  if (address === undefined) throw new Error(`a gateway did not start: ${output}${await child.stderr.text()}`)
  return {
    url: new URL(address),
    folder,
    signal: (name) => child.kill(name),
    ended: child.exited,
    log: () => Bun.file(join(folder, 'log')).text(),
  }
}
