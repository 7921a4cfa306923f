// LiteLLM's settings that are not imported, each with its replacement in Tollgate.
import { counted } from '../../../src/utilities/counted.ts'
import type { LeftOut } from '../move-in.ts'
import type { LitellmConfig } from './config.ts'
import type { PlacedDeployment } from './providers.ts'
import { elementsOf, type Fields } from './values.ts'

/** Settings that need no note: they are imported, or have no meaning for another gateway. */
const NOT_REPORTED: readonly string[] = [
  'set_verbose',
  'json_logs',
  'drop_params',
  'modify_params',
  'fallbacks',
  'default_fallbacks',
  'model_alias_map',
  'model_group_alias',
  'cost_margin_config',
  'cost_discount_config',
  'database_url',
  'database_connection_pool_limit',
  'store_model_in_db',
  'enable_pre_call_checks',
]

/** Reasons by patterns of names, for all sections: https://docs.litellm.ai/docs/proxy/config_settings */
const REASONS: readonly (readonly [name: RegExp, reason: string])[] = [
  [
    /^master_key$/,
    "It is the key of LiteLLM's administrator. `tollgate console link` prints a link to sign in as the operator here.",
  ],
  [
    /^litellm_key_header_name$/,
    'Keys are read from x-litellm-api-key and the usual headers. Let your proxy copy your own header there.',
  ],
  [
    /guardrail|policies|moderation/,
    'Tollgate has no guardrails. A custom plugin can check requests (plugins/custom-plugins/README.md).',
  ],
  [
    /callback|langfuse|observability|log(?:ger|ging)/,
    'Tollgate sends metrics, spans and alerts instead: [metrics], [alerts] and [telemetry] of the catalogue.',
  ],
  [/alert|slack|email|smtp/, 'Write your own into [alerts] of the catalogue.'],
  [/^cache|redis|caching/, 'Tollgate does not answer from a cache of its own: providers cache prompts.'],
  [
    /routing_strategy|usage_based|latency/,
    'Tollgate shares calls by the weights of routes, and keeps a conversation at its route.',
  ],
  [
    /retr|cooldown|allowed_fails|timeout/,
    'Tollgate tries further routes by itself; cooldowns and time-outs are fields of a provider.',
  ],
  [
    /context_window_fallbacks|content_policy_fallbacks/,
    'Tollgate falls back where a provider fails, not by the reason of a refusal.',
  ],
  [
    /provider_budget|budget/,
    'Tollgate limits what accounts and keys spend, not what a provider costs. Set budgets of accounts.',
  ],
  [/pass_through/, 'Tollgate serves known endpoints only.'],
  [
    /mcp|vector_store|search_tools|agent/,
    'Tollgate has no tools of its own; tools of providers pass through, see extras of prices.',
  ],
  [
    /sso|jwt|oauth|ui_|custom_auth|role/,
    'Account holders sign in with a password or a key, see plugins/sign-in/README.md.',
  ],
  [/key_management|kms|vault|secret/, 'Keys of providers are environment variables or files here.'],
]

const UNKNOWN = 'Tollgate has no such setting.'

/** Lists each setting that is not imported. Messages never contain values: they may be secrets. */
export function unsupportedSettings(
  config: LitellmConfig,
  placed: readonly PlacedDeployment[],
): readonly LeftOut[] {
  const sections: readonly (readonly [string, Fields])[] = [
    ['litellm_settings', config.litellm_settings],
    ['router_settings', config.router_settings],
    ['general_settings', config.general_settings],
  ]
  const settings = sections.flatMap(([section, fields]) =>
    Object.keys(fields)
      .filter((name) => !NOT_REPORTED.includes(name) && isSet(fields[name]))
      .map((name): LeftOut => ({ kind: 'settings', row: `${section}.${name}`, reason: reasonFor(name) })),
  )
  const others = config.other_sections.map(
    (name): LeftOut => ({ kind: 'settings', row: name, reason: reasonFor(name) }),
  )
  return [...settings, ...others, ...deploymentSettings(placed)]
}

const isSet = (value: unknown): boolean =>
  value !== null &&
  value !== undefined &&
  value !== false &&
  !(Array.isArray(value) && elementsOf(value).length === 0)

const reasonFor = (name: string): string => REASONS.find(([pattern]) => pattern.test(name))?.[1] ?? UNKNOWN

/** Deployment fields that are imported, or that only LiteLLM needs. */
const IMPORTED_FIELDS =
  /^(?:model|custom_llm_provider|litellm_credential_name|api_key|api_base|base_url|api_version|base_model|weight|order|organization|extra_headers|headers|drop_params|use_in_pass_through|max_retries|vertex_(?:project|location|credentials|ai_location)|aws_\w+|azure_ad_token|client_\w+|tenant_id|region_name|mode|rpm|tpm)$|cost|price/

const DEPLOYMENT_REASONS: readonly (readonly [name: RegExp, reason: string])[] = [
  [/timeout/, 'Time-outs are fields of a provider here: call_timeout_ms and first_byte_timeout_ms.'],
  [/budget/, 'Tollgate limits what accounts and keys spend, not what a provider costs.'],
  [
    /max_parallel_requests|rpd|tpd|itpm|otpm/,
    'A provider has no limit here: a call that it refuses with 429 goes to the next route.',
  ],
  [/mock_response/, 'The simulator answers without a provider, see plugins/demo/README.md.'],
  [/guardrail/, 'Tollgate has no guardrails. A custom plugin can check requests.'],
  [/tags/, 'Tollgate does not choose routes by tags.'],
  [/./, 'Callers set it. `set_fields` of a provider sets it for all of them.'],
]

/** Returns one line for each field, with the number of deployments that have it. */
function deploymentSettings(placed: readonly PlacedDeployment[]): readonly LeftOut[] {
  const names = placed.flatMap(({ deployment: { params } }) =>
    Object.keys(params).filter((name) => !IMPORTED_FIELDS.test(name) && isSet(params[name])),
  )
  return [...Map.groupBy(names, (name) => name)].map(([name, { length }]) => ({
    kind: 'settings',
    row: `litellm_params.${name} of ${counted(length, 'deployment')}`,
    reason: DEPLOYMENT_REASONS.find(([pattern]) => pattern.test(name))?.[1] ?? UNKNOWN,
  }))
}
