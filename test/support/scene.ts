// The scene of most tests: a gateway, a scripted upstream, and a caller with a key and a balance.
import { afterAll, expect } from 'bun:test'
import type { JsonObject } from '../../src/protocols/wire/json.ts'
import type { Call } from '../../src/store/schema.ts'
import { type CatalogueParts, catalogueOf } from './catalogue.ts'
import { startTestGateway, type TestGateway, type TestGatewayOptions } from './gateway.ts'
import { type Script, startUpstream, type Upstream } from './upstream.ts'

/** Changes to the catalogue of catalogue.ts. */
export interface CatalogueChanges extends Omit<Partial<CatalogueParts>, 'upstream_url' | 'more'> {
  /** Further sections, such as limits, providers and models; a function if they need the address of the upstream. */
  more?: string | ((url: string) => string)
}

export interface SceneOptions extends CatalogueChanges, Omit<TestGatewayOptions, 'catalogue' | 'upstream'> {
  /** Makes another catalogue than the one of catalogue.ts. @param url the address of the upstream */
  catalogue?: (url: string) => string
  /** The upstream's answer until a test sets another one. */
  script?: Script
  /** The balance of the caller's account. */
  balance_usd?: string
}

/** Counts of rows and requests that paid calls cause. */
interface Counts {
  calls: number
  holds: number
  /** Requests that the upstream received. */
  requests: number
}

export interface Scene extends AsyncDisposable {
  gateway: TestGateway
  upstream: Upstream
  /** The caller's key. */
  key: string
  /** Calls the gateway, with the caller's key unless the options have another one. */
  call: TestGateway['call']
  /** The JSON body of the upstream's last request. */
  upstreamBody(): JsonObject
  /** Waits until the last call is settled and returns its record. */
  lastCall(): Promise<Call>
  /** Replaces the catalogue by the one of catalogue.ts with these changes. */
  recatalogue(changes?: CatalogueChanges): Promise<void>
  counts(): Counts
  /** Asserts that no call, hold or upstream request was added. */
  expectCounts(expected: Counts): Promise<void>
}

/** Opens a scene for one test. */
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
    return { calls, holds, requests: upstream.requests.length }
  }
  return {
    gateway,
    upstream,
    key,
    call: (path, body, call_options) => gateway.call(path, body, { key, ...call_options }),
    upstreamBody: () => JSON.parse(upstream.last().body.toString()),
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

/** Opens a scene that all tests of a file share, and closes it after the last one. */
export async function fileScene(options: SceneOptions = {}): Promise<Scene> {
  const shared = await scene(options)
  afterAll(() => shared[Symbol.asyncDispose]())
  return shared
}
