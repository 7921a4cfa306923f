// The scene of mails: a database, a clock, a mail server, and the sender.

import { type NewMail, queueMail } from '../../plugins/mail/queue.ts'
import { createMailSender } from '../../plugins/mail/sender.ts'
import { mailSettings, readServer } from '../../plugins/mail/settings.ts'
import { smtpClient } from '../../plugins/mail/smtp.ts'
import type { MailRow } from '../../plugins/mail/tables.ts'
import type { Catalogue } from '../../src/domain/catalogue.ts'
import type { Db } from '../../src/store/db.ts'
import { dbOver } from '../../src/store/engines/sqlite/sqlite.ts'
import { memoryDatabase } from '../support/empty-database.ts'
import { memoryLog } from '../support/memory-log.ts'
import { type SmtpScript, startSmtp } from '../support/smtp.ts'

const FROM = { name: 'Example AI', address: 'noreply@example.com' }
const PUBLIC_URL = 'https://gateway.example.com'

/** A catalogue with a mail server; undefined: without one. */
function catalogueWith(smtp: string | undefined): Catalogue {
  const server = smtp === undefined ? undefined : readServer(smtp)
  const sending = server && { server, from: FROM }
  const settings = { sending, address: smtp, unavailable: undefined }
  return {
    sections: new Map([[mailSettings.name, settings]]),
    brand: {},
    server: { public_url: PUBLIC_URL },
  } as unknown as Catalogue
}

export const INVITATION = {
  purpose: 'invitation',
  to: 'anna@example.org',
  account_id: null,
  fields: { account: 'anna' },
  link: { path: '/console/invitation#SECRET-TOKEN-0123456789', expires_at_ms: Date.UTC(2026, 11, 6) },
  request_key: 'invitation:1',
} as const satisfies NewMail<'invitation'>

export const LOW = {
  purpose: 'low_balance',
  to: 'anna@example.org',
  account_id: 1,
  fields: { account: 'anna', reason: 'empty', available_nanos: 0, debt_nanos: 0, lasts_days: null },
  request_key: 'low_balance:1',
} as const satisfies NewMail<'low_balance'>

interface SceneParts {
  script?: SmtpScript
  /** The address of another mail server. */
  smtp?: string
  db?: Db
  /** The end of its tokens. */
  token_end?: string
}

/** A scene with one account, anna. */
export async function mailScene({ script, smtp, db: own_db, token_end = '' }: SceneParts = {}) {
  const server = await startSmtp({ script })
  const db = own_db ?? dbOver(memoryDatabase())
  if (!own_db)
    await db.write((db) =>
      db.rows(
        "INSERT INTO accounts (id, name, status, balance_nanos, held_nanos, debt_nanos, created_at_ms) VALUES (1, 'anna', 'active', 0, 0, 0, 0)",
      ),
    )
  const clock = { now_ms: Date.UTC(2026, 10, 29) }
  const state: { smtp: string | undefined } = { smtp: smtp ?? `smtp://127.0.0.1:${server.port}` }
  const log = memoryLog()
  let tokens = 0
  const open = () =>
    createMailSender({
      db,
      catalogue: () => catalogueWith(state.smtp),
      clientOf: ({ server }) => smtpClient(server, { connect_ms: 2_000, silence_ms: 2_000 }),
      now: () => clock.now_ms,
      newToken: () => `unsubscribe-${++tokens}${token_end}`,
      log: log.log,
    })
  return {
    server,
    db,
    clock,
    state,
    log,
    open,
    queue: (mail: NewMail = INVITATION) => db.begin((tx) => queueMail(tx, mail, clock.now_ms)),
    rows: async () => [...(await db.rows<MailRow>('SELECT * FROM mails ORDER BY id'))],
    later: (ms: number) => {
      clock.now_ms += ms
    },
    [Symbol.asyncDispose]: () => server[Symbol.asyncDispose](),
  }
}
