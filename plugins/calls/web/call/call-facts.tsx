// Details of a call: ids, key, idempotency, and its other calls and images.
import { Link } from 'wouter'
import { pathPart } from '../../../console/web/app/client.ts'
import { useViewer } from '../../../console/web/app/session.tsx'
import { Facts } from '../../../console/web/parts/facts.tsx'
import { Id } from '../../../console/web/parts/id.tsx'
import { Money } from '../../../console/web/parts/money.tsx'
import { Outcome } from '../../../console/web/parts/outcome.tsx'
import { ownerFacts } from '../../../console/web/parts/owner-facts.tsx'
import { Section } from '../../../console/web/parts/page.tsx'
import { Time } from '../../../console/web/parts/time.tsx'
import type { Call } from './call-answer.ts'

export function CallFacts({ call }: { call: Call }) {
  const { side } = useViewer()
  const { idempotency, parts, image_ids } = call
  return (
    <Section title="Details">
      <Facts
        facts={[
          ['Request ID', <Id key="id" value={call.request_id} what="request id" whole />],
          ['Started', <Time key="started" at_ms={call.started_at_ms} exact />],
          ...ownerFacts(call, side),
          [
            'Model',
            <Link key="model" href={`/calls?model=${pathPart(call.model)}`}>
              {call.model}
            </Link>,
          ],
          ['API', `${call.surface}, ${call.streamed ? 'streamed' : 'not streamed'}`],
          ['Idempotency-Key', idempotency && <Idempotency {...idempotency} />],
          ['Images', image_ids.length > 0 && <ImageIds ids={image_ids} />],
          ['Of the same answer', parts.length > 0 && <Parts parts={parts} />],
        ].map(([label, value]) => [String(label), value || undefined] as const)}
      />
    </Section>
  )
}

const Idempotency = ({
  key_sha256,
  answer_is_kept,
  replays,
  replayed_at_ms,
}: NonNullable<Call['idempotency']>) => (
  <>
    SHA-256 <Id value={key_sha256} what="hash" whole copy={false} />,{' '}
    {answer_is_kept ? 'the answer is kept' : 'no answer is kept any more'}
    {replays > 0 && (
      <>
        ; sent again {replays === 1 ? 'once' : `${replays} times`}, the last time{' '}
        <Time at_ms={replayed_at_ms} />
      </>
    )}
  </>
)

const ImageIds = ({ ids }: { ids: readonly string[] }) => (
  <span className="row">
    {ids.map((id) => (
      <Id key={id} value={id} what="image id" />
    ))}
  </span>
)

const Parts = ({ parts }: Pick<Call, 'parts'>) => (
  <ul>
    {parts.map(({ request_id, model, outcome, cost_nanos }) => (
      <li key={request_id} className="row">
        <Link href={`/calls/${pathPart(request_id)}`}>{model}</Link>
        <Outcome outcome={outcome} />
        <Money nanos={cost_nanos} />
      </li>
    ))}
  </ul>
)
