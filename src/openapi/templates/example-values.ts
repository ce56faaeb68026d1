/** Values of placeholders in examples of the served document. */
export const exampleValues = {
  requestId: 'req_5f0c2ad19be84713',
  timestamp: '2026-03-02T09:30:02.000Z',
  projectId: 'acme',
  subProjectId: 'north',
  method: 'POST',
  path: '/projects/acme',
} as const;
