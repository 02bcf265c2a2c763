-- MPI calls in order of start (the layout of nsys stats).
-- set: nsys
-- question: raw
-- position: 175
-- unit: run
-- key: event, tid, start
-- measure: duration
-- when: never
-- empty: no_mpi_calls
CREATE VIEW mpi_event_trace AS
SELECT
  mpi.run AS run, -- [text] name of the run
  mpi.start_ns AS start, -- "Start (ns)" [integer] start of the MPI call, on the file's clock
  mpi.start_ns + mpi.dur_ns AS stop, -- "End (ns)" [integer] end of the MPI call, on the file's clock
  mpi.dur_ns AS duration, -- "Duration (ns)" [ns] duration of the MPI call
  mpi.name AS event, -- "Event" [text] name of the MPI call
  CAST(track.process AS INTEGER) AS pid, -- "Pid" [integer] process id of the MPI call
  CAST(track.thread AS INTEGER) AS tid, -- "Tid" [integer] thread id of the MPI call
  mpi.tag AS tag, -- "Tag" [integer] tag of the message
  mpi.rank AS rank, -- "Rank" [integer] rank of the process
  mpi.peer AS peer_rank, -- "PeerRank" [integer] rank of the peer
  mpi.root AS root_rank, -- "RootRank" [integer] root rank of the collective
  CASE mpi.source WHEN 'coll' THEN NULL ELSE mpi.bytes END AS size, -- "Size (B)" [integer] bytes sent or received
  CASE mpi.source WHEN 'coll' THEN mpi.bytes END AS coll_send_size, -- "CollSendSize (B)" [integer] bytes sent by the collective
  mpi.received_bytes AS coll_recv_size -- "CollRecvSize (B)" [integer] bytes received by the collective
FROM nsys_mpi AS mpi
JOIN track ON track.id = mpi.track_id
ORDER BY mpi.run, mpi.start_ns, mpi.dur_ns DESC, mpi.name, mpi.tag, mpi.peer, mpi.id;
