// The scene of teams: a gateway with or without a mail server, an account with an owner, and the links of invitations.
import { clientOf, signedIn } from '../support/console-session.ts'
import { eventually } from '../support/eventually.ts'
import { newPerson, personAtConsole } from '../support/people.ts'
import { fileScene } from '../support/scene.ts'
import { startSmtp } from '../support/smtp.ts'

export const PUBLIC_URL = 'https://gateway.example.com'
export const PASSWORD = 'correct horse battery'

interface SceneOptions {
  has_mail?: boolean
  /** Sections of the catalogue besides [mail]. */
  more?: string
  now?: () => number
}

export async function teamScene({ has_mail = true, more = '', now }: SceneOptions = {}) {
  const smtp = await startSmtp()
  const { gateway, ...opened } = await fileScene({
    server: `public_url = "${PUBLIC_URL}"`,
    more: has_mail
      ? `[mail]\nsmtp = "smtp://127.0.0.1:${smtp.port}"\nfrom = "Example AI <noreply@example.com>"\n${more}`
      : more,
    ...(now ? { now } : {}),
  })
  const { store: db } = gateway
  const acme = await gateway.account('acme', { balance_usd: '10' })
  const owner_id = await personAtConsole(db, acme.id)
  const owner = await signedIn(gateway, { person_id: owner_id, account_id: acme.id }, now?.())
  const person = async (role: 'owner' | 'member' | 'billing', name: string = role) => {
    const person_id = await newPerson(db, { account_id: acme.id, role }, { name })
    return { person_id, client: await signedIn(gateway, { person_id, account_id: acme.id }, now?.()) }
  }
  const mailsTo = (email: string) => smtp.received.filter(({ to }) => to.includes(email))
  return {
    ...opened,
    gateway,
    db,
    acme,
    owner_id,
    owner,
    person,
    smtp,
    mailsTo,
    visitor: () => clientOf(gateway),
    /** The token in the newest mail to an address. */
    async mailedToken(email: string, count = 1): Promise<string> {
      await eventually(`${count} mails to ${email}`, () => mailsTo(email).length >= count)
      const token = /\/console\/join#([\w-]{32})/.exec(mailsTo(email).at(-1)?.text ?? '')?.[1]
      if (token === undefined) throw new Error('the mail has no link')
      return token
    },
    /** Invites a person without a mail server. @returns the token of the link */
    async linkToken(email: string, role = 'member'): Promise<string> {
      const { url } = await owner.json('POST', '/team-invitations', { email, role })
      return new URL(url).hash.slice(1)
    },
    people: async (): Promise<{ name: string; role: string; email: string | null; person_id: number }[]> =>
      (await owner.json('GET', '/team')).people,
    actions: (): string[] =>
      gateway.db
        .query<{ action: string }, []>('SELECT action FROM actions ORDER BY id')
        .all()
        .map(({ action }) => action),
  }
}
