// Routes of mails for the operator: lists of mails and unsubscribed recipients, retrying and deleting failed mails, and a test of the mail server.
import { Type } from '@sinclair/typebox'
import { Elysia } from 'elysia'
import { consoleList } from '../../src/app/list/pages.ts'
import { type ConsoleParts, changed, FAILURES, operatorCalls } from '../../src/app/surface/console/calls.ts'
import { WholeNumber } from '../../src/http/parameters.ts'
import { Closed, Nullable } from '../../src/http/schema.ts'
import { mail_list } from './list.ts'
import { deleteMail, retryMail } from './store.ts'
import { sendTest } from './test-mail.ts'
import { unsubscribed_list } from './unsubscribed-list.ts'

const MailParams = Type.Object({ id: WholeNumber({ minimum: 1 }, 'the number of a mail') })
const DoneView = Type.Object({ done: Type.Literal(true) })
const done = { done: true as const }

const TestBody = Closed({ to: Type.String({ minLength: 1, maxLength: 254, must: 'an email address' }) })
const TestView = Closed({
  failure: Nullable(Type.String({ description: 'null if the mail server took the mail' })),
  sentence: Type.String({ description: 'the result, and what to do' }),
})

/** `/console/api/mails`, `/console/api/mail-unsubscribed` and `POST /console/api/mail-test`. */
export function mailConsoleRoutes(gateway: ConsoleParts) {
  const list = consoleList(gateway, mail_list)
  const unsubscribed = consoleList(gateway, unsubscribed_list)
  const { now, catalogue } = gateway.calls
  return new Elysia({ name: 'console-mails' })
    .use(operatorCalls(gateway))
    .get('/console/api/mails', ({ viewer, query }) => list.page(viewer, query), list.page_route)
    .get('/console/api/mails.csv', ({ viewer, query }) => list.file(viewer, query), list.file_route)
    .post(
      '/console/api/mails/:id/retry',
      async ({ viewer, origin, params }) => {
        await changed(gateway, { viewer, origin }, (tx) => retryMail(tx, params.id, now()))
        return done
      },
      { params: MailParams, response: { 200: DoneView, ...FAILURES } },
    )
    .delete(
      '/console/api/mails/:id',
      async ({ viewer, origin, params }) => {
        await changed(gateway, { viewer, origin }, (tx) => deleteMail(tx, params.id))
        return done
      },
      { params: MailParams, response: { 200: DoneView, ...FAILURES } },
    )
    .get(
      '/console/api/mail-unsubscribed',
      ({ viewer, query }) => unsubscribed.page(viewer, query),
      unsubscribed.page_route,
    )
    .get(
      '/console/api/mail-unsubscribed.csv',
      ({ viewer, query }) => unsubscribed.file(viewer, query),
      unsubscribed.file_route,
    )
    .post('/console/api/mail-test', ({ body }) => sendTest(catalogue(), body.to), {
      body: TestBody,
      response: { 200: TestView, ...FAILURES },
    })
}
