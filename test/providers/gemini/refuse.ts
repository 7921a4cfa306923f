// Error bodies of the Gemini API, with the details of each (google.rpc.Status).
import type { Refusal } from '../dialect.ts'
import type { JsonObject } from '../json.ts'

const STATUS = new Map([
  [400, 'INVALID_ARGUMENT'],
  [401, 'UNAUTHENTICATED'],
  [403, 'PERMISSION_DENIED'],
  [404, 'NOT_FOUND'],
  [409, 'ABORTED'],
  [429, 'RESOURCE_EXHAUSTED'],
  [499, 'CANCELLED'],
  [500, 'INTERNAL'],
  [501, 'UNIMPLEMENTED'],
  [503, 'UNAVAILABLE'],
  [504, 'DEADLINE_EXCEEDED'],
])

const TYPE = 'type.googleapis.com/google.rpc.'

/** The body of a refusal. */
export function errorBody(refusal: Refusal): JsonObject {
  const details = detailsOf(refusal)
  return {
    error: {
      code: refusal.status,
      message: refusal.message,
      status: STATUS.get(refusal.status) ?? 'UNKNOWN',
      ...(details.length === 0 ? {} : { details }),
    },
  }
}

function detailsOf({ status, message, field, bad_key }: Refusal): JsonObject[] {
  if (bad_key) {
    const metadata = { service: 'generativelanguage.googleapis.com' }
    return [{ '@type': `${TYPE}ErrorInfo`, reason: 'API_KEY_INVALID', domain: 'googleapis.com', metadata }]
  }
  if (status === 429) return quotaDetails()
  if (field === undefined) return []
  return [{ '@type': `${TYPE}BadRequest`, fieldViolations: [{ field, description: message }] }]
}

function quotaDetails(): JsonObject[] {
  return [
    {
      '@type': `${TYPE}QuotaFailure`,
      violations: [
        {
          quotaMetric: 'generativelanguage.googleapis.com/generate_content_paid_tier_requests',
          quotaId: 'GenerateRequestsPerMinutePerProjectPerModel-PaidTier',
          quotaDimensions: { location: 'global', model: 'simulated' },
          quotaValue: '10',
        },
      ],
    },
    { '@type': `${TYPE}RetryInfo`, retryDelay: '7s' },
  ]
}
