// Generated images for the tests of the library: a paid call in the ledger, and its images.
import { beginGenerations, storeGenerations } from '../../src/library/generations.ts'
import { type Library, openLibrary } from '../../src/library/library.ts'
import type { Account, Generation } from '../../src/store/schema.ts'
import { paint } from '../media/support.ts'
import { CALL } from '../money/ledger/world.ts'
import type { TestGateway } from '../support/gateway.ts'

export const PNG = await paint('png')
const WEBP = await paint('webp', { width: 40, height: 30 })

const PNG_IMAGE = {
  bytes: PNG,
  mime: 'image/png',
  width: 24,
  height: 18,
  revised_prompt: 'a gray cat',
} as const
const WEBP_IMAGE = { bytes: WEBP, mime: 'image/webp', width: 40, height: 30, revised_prompt: null } as const

/** An account with an API key. */
export interface Owner {
  account: Account
  key: string
}

export async function ownerIn(gateway: TestGateway): Promise<Owner> {
  const account = await gateway.account(`owner-${crypto.randomUUID()}`, { balance_usd: '10' })
  return { account, key: await gateway.key(account.name) }
}

export const libraryOf = ({ store: db, files: { images, files } }: TestGateway): Library =>
  openLibrary({ db, images, files, now: Date.now, gateway_id: 1, probe: () => {} })

interface Making {
  kind?: Generation['kind']
  model?: string
  parents?: string[]
  cost_nanos?: number
  /** How many images were requested, and how many were made; the others failed. */
  requested?: number
  made?: number
  webp?: boolean
}

/** Pays for a call and stores its images. @returns the ids of the images, in their order */
export async function make(gateway: TestGateway, { account }: Owner, making: Making = {}): Promise<string[]> {
  const { kind = 'generation', model = 'm', parents = [], cost_nanos = 0, requested = 1 } = making
  const { made = requested, webp = false } = making
  const call_id = await hold(gateway, account)
  const library = libraryOf(gateway)
  const order = { account_id: account.id, call_id, kind, model, prompt: 'a cat', parents }
  const uuids = await beginGenerations(library, order, requested)
  const images = Array.from({ length: made }, () => (webp ? WEBP_IMAGE : PNG_IMAGE))
  await storeGenerations(library, account.id, uuids, images)
  await settle(gateway, call_id, cost_nanos, made)
  return uuids
}

/** Images that are still being made. */
export async function begin(
  gateway: TestGateway,
  { account }: Owner,
): Promise<{ call_id: number; uuid: string }> {
  const call_id = await hold(gateway, account)
  const order = {
    account_id: account.id,
    call_id,
    kind: 'edit',
    model: 'm',
    prompt: 'a cat',
    parents: [],
  } as const
  return { call_id, uuid: (await beginGenerations(libraryOf(gateway), order, 1))[0] ?? '' }
}

async function hold(gateway: TestGateway, account: Account): Promise<number> {
  const key_id = gateway.rows().keys.findLast((key) => key.account_id === account.id)?.id ?? 0
  const outcome = await gateway.ledger.submit({
    op: 'hold',
    account_id: account.id,
    key_id,
    request_id: crypto.randomUUID(),
    amount_nanos: 1_000_000,
    minimum_nanos: 1_000_000,
    now_ms: Date.now(),
    expires_at_ms: Date.now() + 60_000,
  })
  if (!outcome.ok) throw new Error(outcome.refusal)
  // Generations refer to its row.
  await gateway.written()
  return outcome.hold_id
}

export async function settle(
  gateway: TestGateway,
  hold_id: number,
  cost_nanos: number,
  images: number,
): Promise<void> {
  const call = { ...CALL, surface: 'images', images }
  const outcome = await gateway.ledger.submit({ op: 'post', hold_id, cost_nanos, call, now_ms: Date.now() })
  if (!outcome.ok) throw new Error(outcome.refusal)
}
