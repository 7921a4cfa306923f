// The ratios of a model: by the settings, else by the newest line of the log that was charged for it, else by the program's defaults.
import { completionRuleOf, type DefaultRatios, defaultRatiosOf } from './default-ratios.ts'
import { type Exact, exact, exactOf, ONE } from './exact.ts'
import type { RatioTable, Settings } from './options.ts'
import type { Fields } from './values.ts'

export type Program = 'new-api' | 'one-api'

/** By model, what the log's lines say of its ratios (`logs.other` of new-api). */
export type RecordedRatios = ReadonlyMap<string, Fields>

/** A ratio, and what is to be noted of where it comes from. */
interface Sourced {
  readonly ratio: Exact
  readonly note?: string
}

export interface ModelRatios {
  /** USD a call, where the model is priced so. */
  readonly per_call: Sourced | undefined
  /** In units of `QuotaPerUnit` a token; undefined: the model has no price. */
  readonly model: Sourced | undefined
  readonly completion: Sourced
  readonly cache: Exact
  readonly create_cache: Exact
  readonly create_cache_1h: Exact
  readonly image: Exact
  readonly audio: Exact
  readonly audio_completion: Exact
}

/** new-api's default ratio of a cache write; the one of an hour costs 6 / 3.75 of it (relay/helper/price.go). */
const CREATE_CACHE = exact('1.25')
const HOUR = exact('1.6')

const FROM_LOG = 'as its newest charged call had it: no setting has one'
const BY_DEFAULT = 'by the default of the program: no setting has one'

/** Finds the ratios of models. */
export class RatioBook {
  readonly #settings: Settings
  readonly #recorded: RecordedRatios
  readonly #program: Program
  readonly #defaults: DefaultRatios

  constructor(program: Program, settings: Settings, recorded: RecordedRatios) {
    this.#program = program
    this.#settings = settings
    this.#recorded = recorded
    this.#defaults = defaultRatiosOf(program)
  }

  /** @param type of a channel: one-api has ratios of their own for some models there, as "llama3-8b-8192(33)" */
  of(model: string, type?: number): ModelRatios {
    const { cache_ratio, image_ratio, audio_ratio, audio_completion_ratio } = this.#settings
    const defaults = this.#defaults
    const create_cache = this.#createCache(model)
    return {
      per_call: this.#perCall(model),
      model: this.#modelRatio(model, type),
      completion: this.#completion(model, type),
      cache: this.#plain(model, cache_ratio, 'cache_ratio', defaults.cache_ratio),
      create_cache,
      create_cache_1h: {
        over: create_cache.over * this.#hour.over,
        under: create_cache.under * this.#hour.under,
      },
      image: this.#plain(model, image_ratio, 'image_ratio', defaults.image_ratio),
      audio: this.#plain(model, audio_ratio, 'audio_ratio', defaults.audio_ratio),
      audio_completion: this.#plain(
        model,
        audio_completion_ratio,
        'audio_completion_ratio',
        defaults.audio_completion_ratio,
      ),
    }
  }

  #recordedRatio(model: string, field: string): Exact | undefined {
    const fields = this.#recorded.get(model)
    // Of no tokens of a cache new-api logs the ratio 0, and of a model that is not priced by the call the price -1.
    if (!fields || (field === 'cache_ratio' && !Number(fields.cache_tokens))) return undefined
    return exactOf(fields[field])
  }

  #perCall(model: string): Sourced | undefined {
    const { model_price } = this.#settings
    const set = model_price?.get(model)
    if (set) return { ratio: set }
    if (model_price) return undefined
    const recorded = this.#recordedRatio(model, 'model_price')
    if (recorded && recorded.over > 0n) return { ratio: recorded, note: `price of a call ${FROM_LOG}` }
    const by_default = this.#defaults.model_price.get(model)
    return by_default && { ratio: by_default, note: `price of a call ${BY_DEFAULT}` }
  }

  #modelRatio(model: string, type: number | undefined): Sourced | undefined {
    const { model_ratio } = this.#settings
    const set = atType(model_ratio, model, type)
    if (set) return { ratio: set }
    const recorded = this.#recordedRatio(model, 'model_ratio')
    if (recorded && recorded.over > 0n) return { ratio: recorded, note: `model ratio ${FROM_LOG}` }
    // A row of settings replaces the defaults of new-api; one-api adds those that are missing in it.
    if (model_ratio && this.#program === 'new-api') return undefined
    const by_default = this.#defaults.model_ratio.get(model)
    return by_default && { ratio: by_default, note: `model ratio ${BY_DEFAULT}` }
  }

  #completion(model: string, type: number | undefined): Sourced {
    const rule = completionRuleOf(this.#program, model)
    const set = atType(this.#settings.completion_ratio, model, type)
    if (rule.is_fixed && !(set && model.includes('/'))) return { ratio: rule.ratio }
    if (set) return { ratio: set }
    const recorded = this.#recordedRatio(model, 'completion_ratio')
    if (recorded) return { ratio: recorded, note: `completion ratio ${FROM_LOG}` }
    return { ratio: rule.ratio, note: `completion ratio ${BY_DEFAULT}` }
  }

  /** one-api charges what goes to a cache as all else. */
  #createCache(model: string): Exact {
    if (this.#program === 'one-api') return ONE
    return this.#settings.create_cache_ratio?.get(model) ?? CREATE_CACHE
  }

  get #hour(): Exact {
    return this.#program === 'one-api' ? ONE : HOUR
  }

  #plain(model: string, set: RatioTable | undefined, field: string, defaults: RatioTable): Exact {
    return set?.get(model) ?? this.#recordedRatio(model, field) ?? (set ? ONE : (defaults.get(model) ?? ONE))
  }
}

/** one-api relay/billing/ratio/model.go, GetModelRatio. */
const atType = (table: RatioTable | undefined, model: string, type: number | undefined): Exact | undefined =>
  table?.get(`${model}(${type})`) ?? table?.get(model)
