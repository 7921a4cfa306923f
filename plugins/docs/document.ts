// The OpenAPI document: what the routes' schemas say, and what is written of each operation.
import type { AnyElysia } from 'elysia'
import { type Converted, convert, routesOf } from './converted.ts'
import { ERROR_SCHEMAS, SECURITY_SCHEMES, securityOf } from './dialects.ts'
import { ERROR_KINDS, failuresOf, statusOf } from './failures.ts'
import { HEADERS, type HeaderName } from './headers.ts'
import { type Answer, type Content, type Examples, type Parameter, TAGS, type Written } from './operation.ts'
import { reasonToLeaveOut, SCHEMAS, WRITTEN } from './operations/index.ts'
import { PREFACE } from './preface.ts'
import { published, type Schema } from './schema.ts'

type Paths = Record<string, Record<string, Schema>>

/**
 * The document of an application. It takes some 100 ms of work, in steps of a few.
 *
 * @param app any of its instances
 */
export async function documentOf(app: AnyElysia): Promise<Schema> {
  return {
    openapi: '3.1.1',
    info: PREFACE,
    servers: [{ url: '/', description: 'This gateway' }],
    tags: Object.entries(TAGS).map(([name, description]) => ({ name, description })),
    paths: await pathsOf(app),
    components: {
      schemas: { ...SCHEMAS, ...ERROR_SCHEMAS },
      headers: Object.fromEntries(Object.entries(HEADERS).map(([name, schema]) => [name, headerOf(schema)])),
      securitySchemes: SECURITY_SCHEMES,
    },
  }
}

const headerOf = ({ description, ...schema }: Schema): Schema => ({ description, schema })

/** Written operations stand in the order in which they are written, whatever the order of the routes; others follow. */
async function pathsOf(app: AnyElysia): Promise<Paths> {
  const paths: Paths = {}
  const add = (path: string, method: string, operation: Schema) => {
    paths[path] = { ...paths[path], [method]: operation }
  }
  const routes = routesOf(app)
  for (const [name, operations] of Object.entries(WRITTEN)) {
    const route = routes.get(name)
    for (const { path, method, converted } of route ? await convert(app, route) : [])
      for (const written of operations) add(written.path ?? path, method, operationOf(written, converted))
  }
  for (const [name, route] of routes) {
    if (name in WRITTEN || reasonToLeaveOut(name) !== undefined) continue
    for (const { path, method, converted } of await convert(app, route))
      add(path.replace('*', '{rest}'), method, unwritten(name, converted))
  }
  return paths
}

function operationOf(written: Written, converted: Converted): Schema {
  const { id, tag, summary, description, dialect } = written
  const body = bodyOf(written, converted)
  return {
    tags: [tag],
    operationId: id,
    summary,
    ...(description === undefined ? {} : { description }),
    security: securityOf(dialect),
    parameters: parametersOf(written, converted),
    ...(body ? { requestBody: { required: true, content: body } } : {}),
    responses: answersOf(written, converted),
  }
}

/** Those of the route's schemas, but for a wildcard, and those that are written. */
function parametersOf({ about = {}, parameters = [] }: Written, converted: Converted): Parameter[] {
  const own = (converted.parameters ?? []).filter(({ name }) => name !== '*')
  return [
    ...own.map((parameter) => ({ ...plainParameter(parameter), ...about[parameter.name] })),
    ...parameters,
  ]
}

function plainParameter({ name, in: place, required, schema }: Parameter): Parameter {
  const { description, ...rest } = published(schema)
  return {
    name,
    in: place,
    ...(required ? { required } : {}),
    ...(typeof description === 'string' ? { description } : {}),
    schema: rest,
  }
}

function bodyOf(
  { body, examples = {} }: Pick<Written, 'body' | 'examples'>,
  converted: Converted,
): Content | undefined {
  if (body) return body
  if (!converted.requestBody) return undefined
  return Object.fromEntries(
    Object.entries(converted.requestBody.content).map(([type, { schema }]) => [
      type,
      withExamples(published(schema), examples[type]),
    ]),
  )
}

const withExamples = (schema: Schema, examples: Examples | undefined) =>
  examples ? { schema, examples } : { schema }

/** How a route without a body can fail. */
const READ_FAILURES = ERROR_KINDS.filter((kind) => !/^(insufficient|payload|upstream)_/.test(kind))

function answersOf(written: Written, { responses = {} }: Converted): Record<string, Schema> {
  const { dialect, fails, answers } = written
  const kinds = fails ?? READ_FAILURES.filter((kind) => `${statusOf(kind, dialect)}` in responses)
  const failures = failuresOf(kinds, dialect)
  const statuses = new Set([...Object.keys(responses), ...Object.keys(failures), ...Object.keys(answers)])
  const always: HeaderName[] = dialect === 'anthropic' ? ['x-request-id', 'request-id'] : ['x-request-id']
  return Object.fromEntries(
    [...statuses].sort().map((status) => {
      const answer = { ...plainAnswer(responses[status]), ...failures[status], ...answers[status] }
      return [status, withHeaders(answer, always)]
    }),
  )
}

function plainAnswer(answer: Answer | undefined): Answer {
  if (!answer?.content) return { description: 'An answer.' }
  const content = Object.entries(answer.content).map(([type, { schema }]) => [
    type,
    { schema: published(schema) },
  ])
  return { description: answer.description, content: Object.fromEntries(content) }
}

function withHeaders({ headers = [], description, content }: Answer, always: readonly HeaderName[]): Schema {
  const names = new Set([...always, ...headers])
  return {
    description,
    headers: Object.fromEntries([...names].map((name) => [name, { $ref: `#/components/headers/${name}` }])),
    ...(content ? { content } : {}),
  }
}

/** A route that another plugin has brought: its schemas are all that is known of it. */
function unwritten(
  name: string,
  { operationId, parameters = [], requestBody, responses = {} }: Converted,
): Schema {
  const answers = Object.entries(responses).map(([status, answer]) => [status, plainAnswer(answer)])
  return {
    operationId,
    summary: name,
    parameters: parameters.map((parameter) => {
      const plain = plainParameter(parameter)
      return plain.name === '*' ? { ...plain, name: 'rest' } : plain
    }),
    ...(requestBody ? { requestBody: { content: bodyOf({}, { requestBody }) } } : {}),
    responses: answers.length > 0 ? Object.fromEntries(answers) : { default: { description: 'An answer.' } },
  }
}
