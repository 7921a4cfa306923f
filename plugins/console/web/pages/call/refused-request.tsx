// A request that was refused: what its caller was told, what to do, and whose it was.
import { Link } from 'wouter'
import { api, part } from '../../app/client.ts'
import { useAsk } from '../../app/query.ts'
import { useViewer } from '../../app/session.tsx'
import { Facts } from '../../parts/facts.tsx'
import { Id } from '../../parts/id.tsx'
import { Notice } from '../../parts/notice.tsx'
import { Section } from '../../parts/page.tsx'
import { refusedHref } from '../../parts/refusals/refusals.ts'
import { refusalAdvice } from '../../parts/refusals/words.ts'
import { Loaded } from '../../parts/states.tsx'
import { Time } from '../../parts/time.tsx'
import { whoseFacts } from './whose.tsx'

export function RefusedRequest({ request_id }: { request_id: string }) {
  const { role } = useViewer()
  const refusal = useAsk(['refusals', 'one', request_id], () =>
    api.refusals({ request_id: part(request_id) }).get(),
  )
  return (
    <Loaded query={refusal}>
      {({ sentence, code, status, ...about }) => (
        <div className="page">
          <Notice tone="warn">
            <p>
              Refused with {status}: “{sentence}”
            </p>
            <p>{refusalAdvice(code, role)}</p>
            <p className="small soft">
              Nothing was charged. Error: <code>{code}</code>
            </p>
          </Notice>
          <Section title="Details">
            <Facts
              facts={[
                ['Request id', <Id key="id" value={about.request_id} what="request id" whole />],
                ['Refused', <Time key="refused" at_ms={about.refused_at_ms} exact />],
                ...whoseFacts(about, role),
                ['Model', about.model ?? undefined],
                ['Surface', about.surface],
                [
                  'See also',
                  <Link key="others" href={refusedHref({ key_id: about.key_id })}>
                    Refused requests of this key
                  </Link>,
                ],
              ]}
            />
          </Section>
        </div>
      )}
    </Loaded>
  )
}
