// The page of a refused request: the message to the caller, advice, and the owner.
import { Link } from 'wouter'
import { api, pathPart } from '../../console/web/app/client.ts'
import { useApi } from '../../console/web/app/query.ts'
import { useViewer } from '../../console/web/app/session.tsx'
import { Facts } from '../../console/web/parts/facts.tsx'
import { Id } from '../../console/web/parts/id.tsx'
import { Notice } from '../../console/web/parts/notice.tsx'
import { ownerFacts } from '../../console/web/parts/owner-facts.tsx'
import { Section } from '../../console/web/parts/page.tsx'
import { Loaded } from '../../console/web/parts/states.tsx'
import { Time } from '../../console/web/parts/time.tsx'
import { refusedHref } from './refusals.ts'
import { RefusalAdvice } from './refused.tsx'

export function RefusedRequest({ request_id }: { request_id: string }) {
  const { side } = useViewer()
  const refusal = useApi(['refusals', 'one', request_id], () =>
    api.refusals({ request_id: pathPart(request_id) }).get(),
  )
  return (
    <Loaded query={refusal}>
      {({ sentence, code, status, ...about }) => (
        <div className="page">
          <Notice tone="warn">
            <p>
              Refused with {status}: “{sentence}”
            </p>
            <p>
              <RefusalAdvice code={code} />
            </p>
            <p className="small soft">
              Nothing was charged. Error: <code>{code}</code>
            </p>
          </Notice>
          <Section title="Details">
            <Facts
              facts={[
                ['Request ID', <Id key="id" value={about.request_id} what="request id" whole />],
                ['Refused', <Time key="refused" at_ms={about.refused_at_ms} exact />],
                ...ownerFacts(about, side),
                ['Model', about.model ?? undefined],
                ['API', about.surface],
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
