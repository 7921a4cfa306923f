// `console` and `account invite`: links by which the operator and the accounts set their passwords for the console.
import type { Database } from 'bun:sqlite'
import type { Command } from 'commander'
import {
  hasOperator,
  INVITATION_DAYS,
  makeInvitation,
  makeOperatorsLink,
  OPERATORS_LINK_HOURS,
  resetOperator,
  type SignInLink,
} from '../access/sign-in-links.ts'
import { untilFree } from '../db/busy.ts'
import type { Catalogue } from '../domain/catalogue.ts'
import { conflict } from '../domain/errors.ts'
import { parseListenAddress } from '../domain/listen-address.ts'
import { servedAt } from '../server/served-at.ts'
import { type ConsoleLink, reachableUrl } from './banner.ts'
import { contextOf } from './context.ts'
import { type DataFolder, requireCatalogue, withDatabase } from './data-folder.ts'
import type { CliDeps } from './terminal.ts'

/**
 * The operator's link of a start; undefined where their password is set.
 *
 * @param db the gateway's own connection
 * @param url how the gateway is reached
 */
export async function operatorsLink(
  db: Database,
  url: string,
  deps: CliDeps,
): Promise<ConsoleLink | undefined> {
  if (hasOperator(db)) return undefined
  return linkAt(url, 'welcome', await untilFree(() => makeOperatorsLink(db, issuing(deps))))
}

export function addConsoleCommands(program: Command, deps: CliDeps): void {
  const commands = program.command('console').description('Let the operator in to the console.')

  commands
    .command('link')
    .description(
      `Make a link by which the operator sets a password. It works once, for ${OPERATORS_LINK_HOURS} hours; an earlier ` +
        'link stops working. The password stays what it is until then.',
    )
    .action(async (_: object, command: Command) => {
      const { folder, answer } = contextOf(command, deps)
      const { url } = await consoleOf(folder, deps)
      const made = withDatabase(folder, 'make', (db) => makeOperatorsLink(db, issuing(deps)))
      const link = linkAt(url, 'welcome', made)
      answer(link, link.url)
    })

  commands
    .command('reset')
    .description("Take the operator's password away, sign the operator out everywhere, and make a link.")
    .action(async (_: object, command: Command) => {
      const { folder, answer, remark } = contextOf(command, deps)
      const { url } = await consoleOf(folder, deps)
      const { ended_sessions, ...made } = withDatabase(folder, 'make', (db) =>
        resetOperator(db, issuing(deps)),
      )
      const link = linkAt(url, 'welcome', made)
      remark(`The operator's password is gone; sessions ended: ${ended_sessions}.`)
      answer({ ...link, ended_sessions }, link.url)
    })
}

export function addInvite(account: Command, deps: CliDeps): void {
  account
    .command('invite <name>')
    .description(
      `Make a link by which an account sets its password for the console. It works once, for ${INVITATION_DAYS} days.`,
    )
    .action(async (name: string, _: object, command: Command) => {
      const { folder, answer } = contextOf(command, deps)
      const { url } = await consoleOf(folder, deps)
      const made = withDatabase(folder, 'write', (db) => makeInvitation(db, name, issuing(deps)))
      const link = linkAt(url, 'invitation', made)
      answer({ account: name, ...link }, link.url)
    })
}

/** How the console is reached: by the catalogue, or as the gateway that runs has told. @throws GatewayError conflict where it is switched off */
async function consoleOf({ dir, catalogue_path }: DataFolder, { env }: CliDeps): Promise<{ url: string }> {
  const { catalogue } = await requireCatalogue(catalogue_path, env)
  if (!catalogue.console.enabled)
    throw conflict('The console is switched off: set enabled = true in [console] of tollgate.toml first.')
  return { url: catalogue.server.public_url ?? servedAt(dir) ?? listenUrl(catalogue) }
}

function listenUrl({ server: { listen, tls_certificate } }: Catalogue): string {
  const { hostname, port } = parseListenAddress(listen)
  const scheme = tls_certificate === undefined ? 'http' : 'https'
  return reachableUrl(new URL(`${scheme}://${hostname.includes(':') ? `[${hostname}]` : hostname}:${port}`))
}

/** The token is in the fragment, which browsers send nowhere. */
const linkAt = (
  url: string,
  page: 'welcome' | 'invitation',
  { token, expires_at_ms }: SignInLink,
): ConsoleLink => ({
  url: `${url.replace(/\/+$/, '')}/console/${page}#${token}`,
  expires_at: new Date(expires_at_ms).toISOString(),
})

const issuing = ({ randomBytes, now }: CliDeps) => ({ randomBytes, now_ms: now() })
