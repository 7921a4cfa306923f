// The scene of most tests: a gateway, the scripted upstream behind it, and a caller with a key and money.
import { afterAll, expect } from 'bun:test'
import type { JsonObject } from '../../src/protocols/wire/json.ts'
import type { Call } from '../../src/store/schema.ts'
import { type CatalogueParts, catalogueOf } from './catalogue.ts'
import { startTestGateway, type TestGateway, type TestGatewayOptions } from './gateway.ts'
import { type Script, startUpstream, type Upstream } from './upstream.ts'

/** What differs from the catalogue of catalogue.ts. */
export interface CatalogueChanges extends Omit<Partial<CatalogueParts>, 'upstream_url' | 'more'> {
  /** Further sections: limits, providers, models; where they need it, a function of the upstream's address. */
  more?: string | ((url: string) => string)
}

export interface SceneOptions extends CatalogueChanges, Omit<TestGatewayOptions, 'catalogue' | 'upstream'> {
  /** Writes another catalogue than that of catalogue.ts. @param url the upstream's address */
  catalogue?: (url: string) => string
  /** What the upstream answers until a test says otherwise. */
  script?: Script
  /** What the caller's account has. */
  balance_usd?: string
}

/** How much there is of what a paid call leaves. */
interface Counts {
  calls: number
  holds: number
  /** Requests that came to the upstream. */
  seen: number
}

export interface Scene extends AsyncDisposable {
  gateway: TestGateway
  upstream: Upstream
  /** The caller's key. */
  key: string
  /** Calls the gateway, with the caller's key where the options name no other. */
  call: TestGateway['call']
  /** The JSON body of the upstream's last request. */
  asked(): JsonObject
  /** Waits until the last call is settled, and gives its record. */
  lastCall(): Promise<Call>
  /** Replaces the catalogue by that of catalogue.ts with these changes. */
  recatalogue(changes?: CatalogueChanges): Promise<void>
  counts(): Counts
  /** Asserts that no call, hold or upstream request was added. */
  expectCounts(expected: Counts): Promise<void>
}

/** Opens a scene of its own. */
export async function scene(options: SceneOptions = {}): Promise<Scene> {
  const { server, provider, api_keys, more, catalogue, script, balance_usd = '1000', ...rest } = options
  const upstream = await startUpstream(script)
  const { url } = upstream
  const changed = (changes: CatalogueChanges): string =>
    catalogueOf({
      ...changes,
      upstream_url: url,
      more: typeof changes.more === 'function' ? changes.more(url) : changes.more,
    })
  const gateway = await startTestGateway({
    ...rest,
    upstream,
    catalogue: catalogue?.(url) ?? changed({ server, provider, api_keys, ...(more ? { more } : {}) }),
  })
  const key = await gateway.caller(balance_usd)
  const counts = (): Counts => {
    const { calls, holds } = gateway.counts()
    return { calls, holds, seen: upstream.seen.length }
  }
  return {
    gateway,
    upstream,
    key,
    call: (path, body, call_options) => gateway.call(path, body, { key, ...call_options }),
    asked: () => JSON.parse(upstream.last().body.toString()),
    lastCall: () => gateway.lastCall(),
    recatalogue: (changes = {}) => gateway.recatalogue(changed(changes)),
    counts,
    async expectCounts(expected) {
      await gateway.rest()
      expect(counts()).toEqual(expected)
    },
    async [Symbol.asyncDispose]() {
      await gateway.stop()
      await upstream[Symbol.asyncDispose]()
    },
  }
}

/** Opens a scene that all tests of a file share: it is closed after the last of them. */
export async function fileScene(options: SceneOptions = {}): Promise<Scene> {
  const shared = await scene(options)
  afterAll(() => shared[Symbol.asyncDispose]())
  return shared
}
