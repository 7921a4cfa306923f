// Channels as providers and routes: one provider for each channel; for Vertex AI, one for each region and protocol of its models.
import type { IncomingProvider, LeftOut, Secret } from '../move-in.ts'
import type { SourceRow } from '../source/rows.ts'
import { KINDS_OF_PROTOCOL, type Place, placeOf } from './addresses.ts'
import { channelKeys, channelSettings, fixedHeaders } from './channel-settings.ts'
import { BAIDU, channelTypeOf } from './channel-types.ts'
import { Names } from './names.ts'
import type { Program } from './ratios.ts'
import { parseJsonObject, partsOf, textOf, wholeOf } from './values.ts'

/** A channel as a route of a model whose kind is not determined yet. */
export interface RouteOfChannel {
  readonly provider: string
  readonly model: string
  readonly generation?: string
  readonly kinds: readonly string[]
  /** Routes with a higher priority are tried first. */
  readonly priority: number
  readonly weight: number
  /** one-api charges by the provider's model name in the channel's mapping, and by the channel's type. */
  readonly charged: { readonly model: string; readonly type: number }
}

interface Channels {
  readonly providers: readonly IncomingProvider[]
  /** By the model name that callers use. */
  readonly routes: ReadonlyMap<string, readonly RouteOfChannel[]>
  readonly left_out: readonly LeftOut[]
}

const ENABLED = 1
const [DISABLED_BY_HAND, DISABLED_BY_FAILURES] = [2, 3]

/** @param isDisabled whether the table `abilities` disables a model of a channel */
export async function readChannels(
  program: Program,
  rows: AsyncIterable<SourceRow>,
  isDisabled: (channel: number, model: string) => boolean,
): Promise<Channels> {
  const reader = new ChannelReader(program)
  for await (const row of rows) reader.add(row, (model) => isDisabled(wholeOf(row, 'id'), model))
  return reader
}

class ChannelReader implements Channels {
  readonly providers: IncomingProvider[] = []
  readonly routes = new Map<string, RouteOfChannel[]>()
  readonly left_out: LeftOut[] = []
  readonly #names = new Names()
  readonly #program: Program

  constructor(program: Program) {
    this.#program = program
  }

  add(row: SourceRow, isDisabled: (model: string) => boolean): void {
    const label = labelOf(row)
    const leaveOut = (reason: string): void => {
      this.left_out.push({ kind: 'channels', row: label, reason })
    }
    const models = partsOf(textOf(row, 'models'), ',')
    const fault = this.#faultOf(row, models)
    if (fault !== undefined) {
      leaveOut(fault)
      return
    }
    const mapping = this.#mapping(row, label)
    const providers = new Map<string, { provider: IncomingProvider; place: Place }>()
    const reasons = new Map<string, string[]>()
    for (const model of new Set(models)) {
      if (isDisabled(model)) continue
      const target = targetOf(this.#program, model, mapping)
      const place = placeOf(this.#program, row, target)
      if ('reason' in place) {
        reasons.set(place.reason, [...(reasons.get(place.reason) ?? []), model])
        continue
      }
      const identity = JSON.stringify(place.fields)
      const provider = providers.get(identity)?.provider ?? this.#provider(row, place)
      providers.set(identity, { provider, place })
      this.#route(row, model, provider.name, { place, target })
    }
    for (const [reason, of_models] of reasons)
      leaveOut(of_models.length === models.length ? reason : `${reason} Models: ${of_models.join(', ')}.`)
    if (providers.size > 0) this.left_out.push(...channelSettings(row, label))
  }

  #faultOf(row: SourceRow, models: readonly string[]): string | undefined {
    const status = wholeOf(row, 'status')
    if (status !== ENABLED) return reasonOfStatus(status)
    const type = channelTypeOf(this.#program, wholeOf(row, 'type'))
    if ('reason' in type) return type.reason
    if (type.title === BAIDU && textOf(row, 'key').includes('|'))
      return 'Its keys have the form KEY|APPLICATION. Add a provider with the header appid by hand.'
    return models.length === 0
      ? 'It has no models. Add them in the source, or add a provider by hand.'
      : undefined
  }

  #provider(row: SourceRow, { fields }: Place): IncomingProvider {
    const id = wholeOf(row, 'id')
    const name = this.#names.provider(textOf(row, 'name'), `channel-${id}`)
    const { keys, left_out } = channelKeys(row, labelOf(row))
    this.left_out.push(...left_out)
    const headers = Object.entries(fixedHeaders(row)).map(([header, value]): [string, Secret] => [
      header,
      { variable: this.#names.variable(name, header), value },
    ])
    const provider: IncomingProvider = {
      source_id: `channel ${id}`,
      name,
      fields,
      api_keys: keys.map((value) => ({ variable: this.#names.variable(name, 'API_KEY'), value })),
      ...(headers.length > 0 ? { headers: Object.fromEntries(headers) } : {}),
    }
    this.providers.push(provider)
    return provider
  }

  #route(
    row: SourceRow,
    model: string,
    provider: string,
    { place, target }: { place: Place; target: string },
  ): void {
    const routes = this.routes.get(model) ?? []
    routes.push({
      provider,
      ...(place.modelOf?.(target) ?? { model: target }),
      kinds: place.kinds ?? KINDS_OF_PROTOCOL[place.protocol],
      priority: wholeOf(row, 'priority'),
      // one-api has the column, but ignores it (model/cache.go).
      weight: this.#program === 'one-api' ? 1 : wholeOf(row, 'weight'),
      charged: { model: target, type: wholeOf(row, 'type') },
    })
    this.routes.set(model, routes)
  }

  #mapping(row: SourceRow, label: string): Readonly<Record<string, unknown>> {
    const text = textOf(row, 'model_mapping')
    const mapping = text === '' ? {} : parseJsonObject(text)
    if (!mapping)
      this.left_out.push({
        kind: 'channel settings',
        row: label,
        reason: 'Its model mapping is not a JSON object, so its models keep their own names.',
      })
    return mapping ?? {}
  }
}

const reasonOfStatus = (status: number): string => {
  if (status === DISABLED_BY_HAND) return 'It is disabled.'
  if (status === DISABLED_BY_FAILURES)
    return 'It was disabled after failures. If it works, enable it there and import again.'
  return `Its status is ${status}, which is unknown.`
}

const labelOf = (row: SourceRow): string => `channel ${wholeOf(row, 'id')} "${textOf(row, 'name')}"`

/**
 * new-api follows a mapping to further mappings, and stops at a cycle (relay/helper/model_mapped.go); one-api takes a
 * single step (relay/controller/helper.go).
 */
function targetOf(program: Program, model: string, mapping: Readonly<Record<string, unknown>>): string {
  const visited = new Set([model])
  let target = model
  for (;;) {
    const next = mapping[target]
    if (typeof next !== 'string' || next.trim() === '' || visited.has(next.trim())) return target
    target = next.trim()
    if (program === 'one-api') return target
    visited.add(target)
  }
}

/** Reads which models of which channels are disabled in all of their groups. */
export async function readDisabledModels(
  rows: AsyncIterable<SourceRow>,
): Promise<(channel: number, model: string) => boolean> {
  const on = new Map<string, boolean>()
  for await (const row of rows) {
    const pair = `${wholeOf(row, 'channel_id')} ${textOf(row, 'model')}`
    const enabled = row.enabled === true || Number(row.enabled) === 1
    on.set(pair, enabled || (on.get(pair) ?? false))
  }
  return (channel, model) => on.get(`${channel} ${model}`) === false
}
