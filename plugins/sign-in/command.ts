// `console` and `account invite`: links by which the operator and the accounts set their passwords for the console.

import type { Command } from 'commander'
import {
  hasOperator,
  INVITATION_DAYS,
  makeInvitation,
  makeOperatorsLink,
  OPERATORS_LINK_HOURS,
  resetOperator,
  type SignInLink,
} from '../../src/access/sign-in-links.ts'
import type { Catalogue } from '../../src/domain/catalogue.ts'
import { conflict } from '../../src/domain/errors.ts'
import type { Db } from '../../src/store/db.ts'
import { parseListenAddress } from '../../src/utilities/listen-address.ts'
import { withoutTrailing } from '../../src/utilities/text-ends.ts'
import { contextOf } from '../../src/app/command-line/context.ts'
import { type DataFolder, requireCatalogue, withDatabase } from '../../src/app/command-line/data-folder.ts'
import type { CliDeps } from '../../src/app/command-line/terminal.ts'
import { servedAt } from '../../src/app/process/served-at.ts'
import { type ConsoleLink, reachableUrl } from '../../src/app/commands/banner.ts'

/**
 * The operator's link of a start; undefined if their password is set.
 *
 * @param db the gateway's own connection
 * @param url how the gateway is reached
 */
export async function operatorsLink(db: Db, url: string, deps: CliDeps): Promise<ConsoleLink | undefined> {
  if (await hasOperator(db)) return undefined
  const by = { actor: { kind: 'system' as const }, now_ms: deps.now() }
  const made = await db.begin((tx) => makeOperatorsLink(tx, issuing(deps)), { by })
  return linkAt(url, 'welcome', made)
}

export function addConsoleCommands(program: Command, deps: CliDeps): void {
  const commands = program.command('console').description('Manage access to the console.')

  commands
    .command('link')
    .description(
      `Make a link for the operator to set a password. It works once, for ${OPERATORS_LINK_HOURS} hours; earlier ` +
        'links stop working. The current password works until then.',
    )
    .action(async (_: object, command: Command) => {
      const { folder, answer } = contextOf(command, deps)
      const { url } = await consoleOf(folder)
      const made = await withDatabase(folder, 'make', (db) => makeOperatorsLink(db, issuing(deps)))
      const link = linkAt(url, 'welcome', made)
      answer(link, link.url)
    })

  commands
    .command('reset')
    .description("Remove the operator's password, sign the operator out everywhere, and make a link.")
    .action(async (_: object, command: Command) => {
      const { folder, answer, remark } = contextOf(command, deps)
      const { url } = await consoleOf(folder)
      const { ended_sessions, ...made } = await withDatabase(folder, 'make', (db) =>
        resetOperator(db, issuing(deps)),
      )
      const link = linkAt(url, 'welcome', made)
      remark(`Password removed. Sessions ended: ${ended_sessions}.`)
      answer({ ...link, ended_sessions }, link.url)
    })
}

export function addInvite(account: Command, deps: CliDeps): void {
  account
    .command('invite <name>')
    .description(
      `Make a link for an account holder to set a password for the console. It works once, for ${INVITATION_DAYS} days.`,
    )
    .action(async (name: string, _: object, command: Command) => {
      const { folder, answer } = contextOf(command, deps)
      const { url } = await consoleOf(folder)
      const made = await withDatabase(folder, 'write', (db) => makeInvitation(db, name, issuing(deps)))
      const link = linkAt(url, 'invitation', made)
      answer({ account: name, ...link }, link.url)
    })
}

/** How the console is reached: by the catalogue, or as the gateway that runs has told. @throws GatewayError conflict if it is switched off */
async function consoleOf(folder: DataFolder): Promise<{ url: string }> {
  const { catalogue } = await requireCatalogue(folder)
  if (!catalogue.console.enabled)
    throw conflict('The console is switched off. Set enabled = true in [console] of tollgate.toml first.')
  return { url: catalogue.server.public_url ?? servedAt(folder.dir) ?? listenUrl(catalogue) }
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
  url: `${withoutTrailing(url, '/')}/console/${page}#${token}`,
  expires_at: new Date(expires_at_ms).toISOString(),
})

const issuing = ({ randomBytes, now }: CliDeps) => ({ randomBytes, now_ms: now() })
