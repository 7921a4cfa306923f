// Links to the console for setting a password: the console's URL, and the operator's link that a start prints.
import { hasOperator, makeStartLink, type SignInLink } from '../../access/sign-in-links.ts'
import type { Catalogue } from '../../domain/catalogue.ts'
import { conflict } from '../../domain/errors.ts'
import type { Db } from '../../store/db.ts'
import { parseListenAddress } from '../../utilities/listen-address.ts'
import { withoutTrailing } from '../../utilities/text-ends.ts'
import { type ConsoleLink, type OperatorAccess, reachableUrl } from '../commands/banner.ts'
import { servedAt } from '../process/served-at.ts'
import { type DataFolder, requireCatalogue } from './data-folder.ts'
import type { CliDeps } from './terminal.ts'

/** Returns the link or the pending invitation that a start shows; neither if an operator can already sign in. */
export async function operatorAccess(db: Db, url: string, deps: CliDeps): Promise<OperatorAccess> {
  if (await hasOperator(db)) return {}
  const by = { actor: { kind: 'system' as const }, now_ms: deps.now() }
  const made = await db.begin((tx) => makeStartLink(tx, linkParts(deps)), { by })
  return 'invited' in made ? made : { console: linkAt(url, 'welcome', made) }
}

/** The console's URL, from the catalogue or from the running gateway's address file. @throws GatewayError conflict if it is switched off */
export async function consoleUrl(folder: DataFolder): Promise<string> {
  const { catalogue } = await requireCatalogue(folder)
  if (!catalogue.console.enabled)
    throw conflict('The console is switched off. Set enabled = true in [console] of tollgate.toml first.')
  return catalogue.server.public_url ?? servedAt(folder.dir) ?? listenUrl(catalogue)
}

function listenUrl({ server: { listen, tls_certificate } }: Catalogue): string {
  const { hostname, port } = parseListenAddress(listen)
  const scheme = tls_certificate === undefined ? 'http' : 'https'
  return reachableUrl(new URL(`${scheme}://${hostname.includes(':') ? `[${hostname}]` : hostname}:${port}`))
}

/** Puts the token into the fragment, which browsers never send. */
export const linkAt = (
  url: string,
  page: 'welcome' | 'invitation',
  { token, expires_at_ms }: SignInLink,
): ConsoleLink => ({
  url: `${withoutTrailing(url, '/')}/console/${page}#${token}`,
  expires_at: new Date(expires_at_ms).toISOString(),
})

export const linkParts = ({ randomBytes, now }: CliDeps) => ({ randomBytes, now_ms: now() })
