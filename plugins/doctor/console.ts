// The doctor's round, for the operator: what it found, and what to do.
import { Elysia } from 'elysia'
import { FAILURES, operatorCalls } from '../../src/surface/console/calls.ts'
import { DoctorReport } from '../../src/surface/diagnosis.ts'
import type { Gateway } from '../../src/surface/gateway.ts'

/** `POST /console/api/doctor`: by POST, since each provider is asked something. It changes nothing. */
export function doctorRoutes(gateway: Pick<Gateway, 'exchange' | 'requests' | 'people' | 'operations'>) {
  const { doctor } = gateway.operations
  return new Elysia({ name: 'console-doctor' })
    .use(operatorCalls(gateway))
    .post('/console/api/doctor', () => doctor.examine(), { response: { 200: DoctorReport, ...FAILURES } })
}
