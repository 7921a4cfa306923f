// Viewers of the console: the staff, the people of an account, or a key of an account; and the data that each may see.
import type { ActionContext, Actor } from '../domain/actions.ts'
import { permissionDenied } from '../domain/errors.ts'
import type { MembershipRow, StaffRow, SuspensionReason } from '../store/schema.ts'

/** The keys whose calls a viewer sees: their own for a member, itself for a limited key; `account`: all of the account. */
export type VisibleKeys = 'account' | readonly number[]

/** The signed-in person or key. Determines on the server what they see; `rights.ts` determines what they may change. */
export type Viewer =
  /** Staff, who see everything. */
  | ({ side: 'operator'; role: StaffRow['role']; session_id: number } & ProvenPerson)
  /** A person of an account. */
  | ({
      side: 'account'
      role: MembershipRow['role']
      session_id: number
      account_id: number
      account: string
      sees: VisibleKeys
      /** The reason of the account's suspension, if any; limits the rights (`rights.ts`). */
      suspended_for?: SuspensionReason | undefined
    } & ProvenPerson)
  /**
   * Signed in with a key: may call what the key may call, and manages no keys. A limited key sees its own calls, unless its account allows more;
   * another key sees the calls that its person sees, or all of the account.
   */
  | {
      side: 'key'
      role: 'key'
      session_id: number
      account_id: number
      account: string
      key_id: number
      sees: VisibleKeys
    }

/** A person and the time of their last proof of identity; undefined or null if unknown, which counts as long ago. */
interface ProvenPerson {
  person_id: number
  confirmed_at_ms?: number | null
}

export type PersonViewer = Exclude<Viewer, { side: 'key' }>

/** The account that a viewer sees; undefined for the staff, who see all accounts. */
export const accountOf = (viewer: Viewer): number | undefined =>
  viewer.side === 'operator' ? undefined : viewer.account_id

/** The actor for the audit log. @param address of the viewer's session */
export const actorOf = (viewer: Viewer, address: string | undefined): Actor => ({
  kind: viewer.side,
  session_id: viewer.session_id,
  person_id: personOf(viewer),
  address,
})

/** The audit log's context of a viewer's action in a request. */
export const actionContextOf = (
  viewer: Viewer,
  { address, request_id }: { address: string | undefined; request_id: string },
  now_ms: number,
): ActionContext => ({ actor: actorOf(viewer, address), now_ms, request_id })

/** The signed-in person; undefined in a session by key. */
export const personOf = (viewer: Viewer): number | undefined =>
  viewer.side === 'key' ? undefined : viewer.person_id

/** @throws GatewayError permission_denied in a session by key */
export function requirePerson(viewer: Viewer): asserts viewer is PersonViewer {
  if (viewer.side === 'key')
    throw permissionDenied(
      'You signed in with an API key. To change how you sign in, sign in with your password.',
    )
}

/** The account and key of a viewer, for the audit log. */
export const ownerOf = (viewer: Viewer): { account_id: number | undefined; key_id: number | undefined } => ({
  account_id: accountOf(viewer),
  key_id: viewer.side === 'key' ? viewer.key_id : undefined,
})

/** The only keys whose calls a viewer sees, possibly none; undefined for a viewer of a whole account. */
export const onlyKeysOf = (viewer: Viewer): readonly number[] | undefined =>
  viewer.side === 'operator' || viewer.sees === 'account' ? undefined : viewer.sees

/** A viewer after they created a key in the same request. */
export const withKey = (viewer: Viewer, key_id: number): Viewer =>
  viewer.side === 'operator' || viewer.sees === 'account'
    ? viewer
    : { ...viewer, sees: [...viewer.sees, key_id] }

/** @throws GatewayError permission_denied if the viewer sees only the calls of some keys */
export function requireWholeAccount(viewer: Viewer): void {
  if (onlyKeysOf(viewer) === undefined) return
  throw permissionDenied(
    viewer.side === 'key'
      ? 'You are signed in with a limited API key, so you see its calls only. Sign in with the account’s password to see more.'
      : `Your role in this account is ${viewer.role}, so you see your own API keys and their calls only. Ask an owner of the account.`,
  )
}

/** Whether a viewer may see the calls of a key. */
export const seesKey = (viewer: Viewer, key_id: number): boolean =>
  onlyKeysOf(viewer)?.includes(key_id) ?? true
