// The preface of the document: what callers of every surface need to know.

const TEXT = `
A gateway in front of hosted models. It speaks the APIs of Google, Anthropic and OpenAI: keep the official SDK of any of
them, and change its base address and its key. Every text model can be called through every text API.

## Keys

All APIs take the same key, \`tg_…\`, in the place where your client puts it: as a bearer token, in \`x-api-key\`, in
\`api-key\`, or, for the Gemini API and the list of models, in \`x-goog-api-key\` or \`?key=\`.

## Azure's clients

The endpoints of the OpenAI API are also at the addresses of Azure OpenAI: \`/openai/v1/…\`, \`/openai/…\` and
\`/openai/deployments/{model}/…\`, where the model of the address counts, whatever the body says. \`api-version\` is ignored.

## Money

Before a paid call, the most that it can cost is held; after it, the provider's usage is charged. \`max_tokens\` and
its equivalents decide how much is held. If the balance pays for less, the limit is lowered, and the header
\`x-tollgate-output-limit\` says so. A call that fails before its first byte is free.

Any paid request may have an \`Idempotency-Key\`: sent again with the same key, it gets the stored answer and is not charged again.

## Fields

Each body lists its required fields, the fields that differ here, and a link to the provider's reference for all others. Fields
that the gateway does not know pass to providers of the same API. If a request is translated for a model of another provider,
fields without an equivalent are left out or refused, by name, before anything is charged. A field that is null counts as absent.

## Errors

Each API answers errors in its own shape. The message says what is wrong and what to do. Every answer has the header
\`x-request-id\`, which the usage lists with the call.

## Examples

The examples work with the simulated models of a first start, whose names begin with \`sim-\`. Put the names of your models in
their place.
`.trim()

export const PREFACE = { title: 'Tollgate', version: '1', description: TEXT } as const
