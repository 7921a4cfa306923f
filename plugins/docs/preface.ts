// The preface of the document: what callers of every surface need to know.

const TEXT = `
A gateway in front of hosted models. It speaks the APIs of Google, Anthropic and OpenAI: keep the official SDK of any of
them, and change its base address and its key. Every text model can be called through every text API.

## Keys

All APIs take the same key, \`tg_…\`, in the place where their clients put it: as a bearer token, in \`x-api-key\`, or, for
the Gemini API and the list of models, in \`x-goog-api-key\` or \`?key=\`.

## Money

Before a paid call, what it can cost at most is held; after it, what the provider counted is charged. \`max_tokens\` and
its likes decide how much is held. Where the balance pays for less, the limit is lowered to what it pays for, and the header
\`x-tollgate-output-limit\` says so. A call that fails before its first byte costs nothing.

Any paid request may have an \`Idempotency-Key\`: sent again with it, it is answered from what is kept, and not charged again.

## Fields

Of each API, this describes the fields that the gateway reads. Others pass to providers of the same API; where a request has
to be translated for a model of another provider, what its API has no place for is left out or refused, by name, before
anything is charged. A field that is null counts as absent.

## Errors

Each API answers errors in its own shape. The message says what is wrong and what to do. Every answer has the header
\`x-request-id\`, which the usage lists with the call.

## Examples

The examples work with the simulated models of a first start, whose names begin with \`sim-\`. Put the names of your models in
their place.
`.trim()

export const PREFACE = { title: 'Tollgate', version: '1', description: TEXT } as const
